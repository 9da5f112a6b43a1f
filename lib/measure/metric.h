// SPDX-License-Identifier: MIT
// Metrics of predictions: for probabilities and for classes.
#ifndef GW_MEASURE_METRIC_H
#define GW_MEASURE_METRIC_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// --- probabilities -------------------------------------------------------------------------------------------------
//
// TP, FP, TN, FN are counts at the threshold p >= 0.5; P is the number of positives, N of negatives:
//   accuracy = (TP + TN) / (P + N)
//   F1       = 2 TP / (2 TP + FP + FN)                                                        (0 where that is 0 / 0)
//   MCC      = (TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN))                  (0 where that is 0 / 0)
//   AUROC    = (sum of the positives' ranks - P (P + 1) / 2) / (P N), ties at their average rank: exact
//   AUPRC    = sum over distinct thresholds, from above, of (recall_k - recall_{k-1}) precision_k   (average precision)
typedef struct {
    int64_t count, positives;
    bool constant; // only positives, only negatives, or nothing: AUROC and AUPRC are undefined, NaN
    double accuracy, f1, mcc, auroc, auprc;
} gw_metric;

// The metrics of count pairs, `stride` floats apart: probability[i * stride], label[i * stride]. Labels of at least 0.5
// are positive. NaN labels are ignored. Without pairs all metrics are NaN.
gw_status gw_metric_compute(const float *probability, const float *label, int64_t count, int64_t stride,
                            gw_metric *out) GW_MUST_CHECK;

// A threshold, and the values for examples with at least this probability: false positive rate, recall, and precision.
typedef struct {
    double threshold, fpr, recall, precision;
} gw_curve_point;
// The points of the ROC and precision-recall curves, from the highest threshold down, for the pairs above: the first,
// the last, and those between that differ from the last point by at least `apart` in fpr or recall. The caller frees
// *points with free(). No points if the labels are constant.
gw_status gw_metric_curve(const float *probability, const float *label, int64_t count, int64_t stride, double apart,
                          gw_curve_point **points, int64_t *point_count) GW_MUST_CHECK;

// Mean and median of each metric over targets that are not constant and have at least `least_positives` positives.
typedef struct {
    int64_t targets; // number of these targets
    gw_metric mean, median;
} gw_metric_summary;
gw_status gw_metric_summarise(const gw_metric *metrics, int64_t targets, int64_t least_positives,
                              gw_metric_summary *out) GW_MUST_CHECK;

// The standard error of AUROC due to the choice of examples (DeLong, DeLong and Clarke-Pearson 1988).
//
// With P positives, N negatives and A the AUROC, V of a positive is the share of negatives below it, ties counted half.
// V of a negative is the share of positives above it. The variance of A is
//   sum over positives of (V - A)^2 / (P (P - 1)) + sum over negatives of (V - A)^2 / (N (N - 1)),
// Each example therefore has a share, (V - A) / sqrt(P (P - 1)) or (V - A) / sqrt(N (N - 1)), and the variance is the
// sum of the squared shares. Shares of one example may be added: over targets, for the error of a mean; and with the
// opposite sign, for the error of the difference between two models.
//
// Adds `weight` times each example's share to share[count]; pairs as for gw_metric_compute(). *known grows by one. With
// fewer than two positives or two negatives nothing is added and *known stays.
gw_status gw_auroc_shares_add(const float *probability, const float *label, int64_t count, int64_t stride,
                              double weight, double *share, int64_t *known) GW_MUST_CHECK;

// The standard error of the value with these shares; with `other` (NULL: none), of the difference between the two.
double gw_auroc_error(const double *share, const double *other, int64_t count);

// Top-k accuracy (Jaganathan et al., 2019): for a class with k true sites, the share of true sites among the k highest
// probabilities. Sites with the same probability as the last one share the remaining calls evenly. label[count]: at
// least 0.5 is true. *out is NaN without true sites.
gw_status gw_top_k(const float *probability, const float *label, int64_t count, double *out) GW_MUST_CHECK;

// --- classes -------------------------------------------------------------------------------------------------------
//
// Metrics of classes. For class k, over examples: actual_k have the class, called_k are predicted to have it, right_k
// are both. F1_k = 2 right_k / (called_k + actual_k), 0 if that is 0 / 0.
//   accuracy = examples with all classes correct, over all examples
//   micro F1 = 2 sum right / (sum called + sum actual)
//              (equals the accuracy if each example has one class)
//   macro F1 = mean of F1_k over classes that occur or are predicted
//              (over all classes, if an example may have several)
//   MCC      = (c s - sum called_k actual_k) / sqrt((s^2 - sum called_k^2) (s^2 - sum actual_k^2))
//              (c = sum right, s examples; 0 if that is 0 / 0; with two classes the usual MCC)
typedef struct {
    int64_t classes, examples, exact; // exact: examples with all classes correct
    int64_t *right, *called, *actual; // [classes]
    bool several;                     // an example may have any number of classes
} gw_class_counts;

typedef struct {
    double accuracy, micro_f1, macro_f1, mcc; // MCC is NaN if an example may have several classes
    double f1;                                // of class 1 of two, or NaN
} gw_class_metrics;

gw_status gw_class_counts_make(gw_class_counts *counts, int64_t classes, bool several) GW_MUST_CHECK;
void gw_class_counts_free(gw_class_counts *counts);
// Adds an example with one class.
void gw_class_counts_add(gw_class_counts *counts, int64_t called, int64_t actual);
// Adds an example with several classes: logits [classes], predicted if above 0; labels [classes] of at least 0.5 are
// actual, NaN is ignored.
void gw_class_counts_add_several(gw_class_counts *counts, const float *logits, const float *labels);
gw_class_metrics gw_class_metrics_of(const gw_class_counts *counts);

// --- names: metrics of models of texts -------------------------------------------------------------------------------

// By number; NaN if a metric is not defined for these labels.
enum {
    GW_METRIC_LOSS, // natural logarithms, or squared errors; mean over labels
    GW_METRIC_ACCURACY,
    GW_METRIC_F1, // of class 1 of two
    GW_METRIC_MICRO_F1,
    GW_METRIC_MACRO_F1,
    GW_METRIC_MCC,
    GW_METRIC_PEARSON,
    GW_METRIC_SPEARMAN,
    GW_METRIC_EXACT, // of answers to questions; f1 is then that of words
    GW_METRICS
};
extern const char *const gw_metric_names[GW_METRICS]; // "loss", "accuracy", "f1" ...
#define GW_TEXT_CRITERIA "accuracy|f1|micro-f1|macro-f1|mcc|pearson|spearman|loss|exact"

// The value of an undefined metric, if higher is better.
#define GW_METRIC_WORST (-1e30)

// The metric with this name; -1: none.
int gw_metric_by_name(const char *name);

#endif
