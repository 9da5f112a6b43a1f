// SPDX-License-Identifier: MIT
// What models of texts are rated by: numbers and names.
#ifndef GW_MEASURE_FIGURES_H
#define GW_MEASURE_FIGURES_H

// By number; NaN where a figure means nothing for such labels.
enum {
    GW_FIGURE_LOSS, // natural logarithms, or squared errors; a mean over labels
    GW_FIGURE_ACCURACY,
    GW_FIGURE_F1, // of class 1 of two
    GW_FIGURE_MICRO_F1,
    GW_FIGURE_MACRO_F1,
    GW_FIGURE_MCC,
    GW_FIGURE_PEARSON,
    GW_FIGURE_SPEARMAN,
    GW_FIGURE_EXACT, // of answers to questions, of which f1 is that of words
    GW_FIGURES
};
extern const char *const gw_figure_names[GW_FIGURES]; // "loss", "accuracy", "f1" ...
#define GW_TEXT_CRITERIA "accuracy|f1|micro-f1|macro-f1|mcc|pearson|spearman|loss|exact"

// What a figure that means nothing counts as, where more is better.
#define GW_FIGURE_WORST (-1e30)

// The figure of that name; -1: none.
int gw_figure_by_name(const char *name);

#endif
