// SPDX-License-Identifier: MIT
// Metrics of a model's logits against the labels of texts.
#ifndef GW_TASK_TEXTS_TEXT_METRICS_H
#define GW_TASK_TEXTS_TEXT_METRICS_H

#include "base/json.h"
#include "language/text_logits.h"
#include "measure/metric.h"

typedef struct {
    int64_t labels; // number of evaluated labels
    double of[GW_METRICS];
} gw_text_metrics;

// Runs all rows of a labelled set.
gw_status gw_text_metrics_compute(gw_text_logits *logits, const gw_text_set *set, const char *shown,
                                  gw_text_metrics *out) GW_MUST_CHECK;
// The same from logits in memory: logits[i * stride + class] of row i; stride 0: all rows, or all words, have the same
// logits.
gw_status gw_text_metrics_of_logits(const float *logits, int64_t stride, const gw_text_set *set,
                                    gw_text_metrics *out) GW_MUST_CHECK;
// A metric for which higher is better: the loss is negated. An undefined metric, such as a correlation with constant
// values, is GW_METRIC_WORST.
double gw_text_metrics_value(const gw_text_metrics *metrics, int metric);
// Sets `prefix`_loss, _accuracy ... if they are defined.
void gw_text_metrics_report(const gw_text_metrics *metrics, const char *prefix, json_t *row);

#endif
