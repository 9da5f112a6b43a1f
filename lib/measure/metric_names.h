// SPDX-License-Identifier: MIT
// What models of texts are rated by: numbers and names.
#ifndef GW_MEASURE_METRIC_NAMES_H
#define GW_MEASURE_METRIC_NAMES_H

// By number; NaN where a metric means nothing for such labels.
enum {
    GW_METRIC_LOSS, // natural logarithms, or squared errors; a mean over labels
    GW_METRIC_ACCURACY,
    GW_METRIC_F1, // of class 1 of two
    GW_METRIC_MICRO_F1,
    GW_METRIC_MACRO_F1,
    GW_METRIC_MCC,
    GW_METRIC_PEARSON,
    GW_METRIC_SPEARMAN,
    GW_METRIC_EXACT, // of answers to questions, of which f1 is that of words
    GW_METRICS
};
extern const char *const gw_metric_names[GW_METRICS]; // "loss", "accuracy", "f1" ...
#define GW_TEXT_CRITERIA "accuracy|f1|micro-f1|macro-f1|mcc|pearson|spearman|loss|exact"

// What a metric that means nothing counts as, where more is better.
#define GW_METRIC_WORST (-1e30)

// The metric of that name; -1: none.
int gw_metric_by_name(const char *name);

#endif
