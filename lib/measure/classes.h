// SPDX-License-Identifier: MIT
// How well classes are distinguished, over several of them.
//
// Of class k, counted over examples: right_k that have it and were given it, called_k that were given it, actual_k that
// have it; F1_k = 2 right_k / (called_k + actual_k), 0 where that is 0 / 0.
//   accuracy = examples whose classes are all as they should be, over all
//   micro F1 = 2 sum right / (sum called + sum actual)                    (the accuracy, where each example has one
//   class) macro F1 = mean of F1_k over classes that were given or should have been; over all where an example may have
//   several MCC      = (c s - sum called_k actual_k) / sqrt((s^2 - sum called_k^2) (s^2 - sum actual_k^2)), c = sum
//   right, s
//              examples; 0 where that is 0 / 0. Of two classes it is the usual one.
#ifndef GW_MEASURE_CLASSES_H
#define GW_MEASURE_CLASSES_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t classes, examples, exact; // exact: examples that are wholly right
    int64_t *right, *called, *actual; // [classes]
    bool several;                     // an example may have any number of classes
} gw_class_counts;

typedef struct {
    double accuracy, micro_f1, macro_f1, mcc; // MCC is NaN where an example may have several classes
    double f1;                                // of class 1 of two, or NaN
} gw_class_metrics;

gw_status gw_class_counts_make(gw_class_counts *counts, int64_t classes, bool several) GW_MUST_CHECK;
void gw_class_counts_free(gw_class_counts *counts);
// An example with one class.
void gw_class_counts_add(gw_class_counts *counts, int64_t called, int64_t actual);
// One with several: logits [classes], called where above 0; labels [classes] of at least 0.5 are actual, NaN is left
// out.
void gw_class_counts_add_several(gw_class_counts *counts, const float *logits, const float *labels);
gw_class_metrics gw_class_metrics_of(const gw_class_counts *counts);

#endif
