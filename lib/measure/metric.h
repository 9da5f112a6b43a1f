// SPDX-License-Identifier: MIT
// How well probabilities tell positives from negatives, per target and over targets.
//
// With TP, FP, TN, FN counted at the threshold p >= 0.5, and P positives, N negatives:
//   accuracy = (TP + TN) / (P + N)
//   F1       = 2 TP / (2 TP + FP + FN)                                                        (0 where that is 0 / 0)
//   MCC      = (TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN))                  (0 where that is 0 / 0)
//   AUROC    = (sum of the positives' ranks - P (P + 1) / 2) / (P N), ties at their average rank: exact
//   AUPRC    = sum over distinct thresholds, from above, of (recall_k - recall_{k-1}) precision_k   (average precision)
#ifndef GW_MEASURE_METRIC_H
#define GW_MEASURE_METRIC_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t count, positives;
    bool constant; // only positives or only negatives (or nothing): AUROC and AUPRC mean nothing and are NaN
    double accuracy, f1, mcc, auroc, auprc;
} gw_metric;

// Of count pairs, `stride` floats apart: probability[i * stride], label[i * stride]. Labels of at least 0.5 are
// positive; NaN labels are left out. Without any pair all metrics are NaN.
gw_status gw_metric_compute(const float *probability, const float *label, int64_t count, int64_t stride,
                            gw_metric *out) GW_MUST_CHECK;

// A threshold, and what the examples of at least that probability are: their share among the negatives (false positive
// rate) and among the positives (recall), and the share of positives among them (precision).
typedef struct {
    double threshold, fpr, recall, precision;
} gw_curve_point;
// The points of the ROC and the precision-recall curve, from the highest threshold down, for pairs as above: the first,
// the last, and between them those at least `apart` further in fpr or recall than the last. *points is free()d by the
// caller; none where the labels are constant.
gw_status gw_metric_curve(const float *probability, const float *label, int64_t count, int64_t stride, double apart,
                          gw_curve_point **points, int64_t *point_count) GW_MUST_CHECK;

// Mean and median of one metric over targets that are not constant and have at least `least_positives`.
typedef struct {
    int64_t targets; // that took part
    gw_metric mean, median;
} gw_metric_summary;
gw_status gw_metric_summarise(const gw_metric *metrics, int64_t targets, int64_t least_positives,
                              gw_metric_summary *out) GW_MUST_CHECK;

#endif
