// SPDX-License-Identifier: MIT
// How well predictions are those that should have been: of probabilities and of classes.
#ifndef GW_MEASURE_METRIC_H
#define GW_MEASURE_METRIC_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// --- probabilities -------------------------------------------------------------------------------------------------
//
// With TP, FP, TN, FN counted at the threshold p >= 0.5, and P positives, N negatives:
//   accuracy = (TP + TN) / (P + N)
//   F1       = 2 TP / (2 TP + FP + FN)                                                        (0 where that is 0 / 0)
//   MCC      = (TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN))                  (0 where that is 0 / 0)
//   AUROC    = (sum of the positives' ranks - P (P + 1) / 2) / (P N), ties at their average rank: exact
//   AUPRC    = sum over distinct thresholds, from above, of (recall_k - recall_{k-1}) precision_k   (average precision)
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

// How far AUROC may be off because the examples are these and not others (DeLong, DeLong and Clarke-Pearson 1988).
//
// With P positives, N negatives and A the AUROC, V of a positive is the share of negatives that it beats, ties counted
// half, and V of a negative the share of positives that beat it. The variance of A is
//   sum over positives of (V - A)^2 / (P (P - 1)) + sum over negatives of (V - A)^2 / (N (N - 1)),
// so that each example has a share, (V - A) / sqrt(P (P - 1)) or (V - A) / sqrt(N (N - 1)), and the variance is the sum
// of their squares. Shares of one example add up: over targets, to the error of a mean, and with the other's sign, to
// that of the difference between two models.
//
// Adds `weight` times each example's share to share[count]; pairs as for gw_metric_compute(). Nothing is added, and
// *known stays, where there are fewer than two positives or two negatives; otherwise *known counts one more.
gw_status gw_auroc_shares_add(const float *probability, const float *label, int64_t count, int64_t stride,
                              double weight, double *share, int64_t *known) GW_MUST_CHECK;

// The standard error of what the shares are of; with `other` (NULL: none), of the difference between the two.
double gw_auroc_error(const double *share, const double *other, int64_t count);

// Top-k accuracy (Jaganathan et al., 2019): of a class with k true sites the k highest probabilities are called; the
// share of these that are true. Of sites that are as probable as the last one called as many count as are called,
// evenly.
// label[count]: at least 0.5 is true. *out is NaN where nothing is.
gw_status gw_top_k(const float *probability, const float *label, int64_t count, double *out) GW_MUST_CHECK;

// --- classes -------------------------------------------------------------------------------------------------------
//
// How well classes are distinguished, over several of them.
//
// Of class k, counted over examples: right_k that have it and were given it, called_k that were given it, actual_k that
// have it; F1_k = 2 right_k / (called_k + actual_k), 0 where that is 0 / 0.
//   accuracy = examples whose classes are all as they should be, over all
//   micro F1 = 2 sum right / (sum called + sum actual)
//              (the accuracy, where each example has one class)
//   macro F1 = mean of F1_k over classes that were given or should have been
//              (over all, where an example may have several)
//   MCC      = (c s - sum called_k actual_k) / sqrt((s^2 - sum called_k^2) (s^2 - sum actual_k^2))
//              (c = sum right, s examples; 0 where that is 0 / 0; of two classes it is the usual one)
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

// --- names: what models of texts are rated by ----------------------------------------------------------------------

// By number; NaN if a metric is not defined for these labels.
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
