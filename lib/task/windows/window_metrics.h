// SPDX-License-Identifier: MIT
// The training loss of labels, computed from probabilities; and the loss of predicting label frequencies.
#ifndef GW_TASK_WINDOWS_WINDOW_METRICS_H
#define GW_TASK_WINDOWS_WINDOW_METRICS_H

#include "base/json.h"
#include "base/status.h"
#include "label/labelled_set.h"
#include "measure/agreement.h"
#include "measure/metric.h"
#include "model/config.h"

// The logit z for a probability p is ln(p / (1 - p)) + ln w (label_predictor.h removes ln w). The weighted cross
// entropy therefore is
//   -w y ln(w p / (w p + 1 - p)) - (1 - y) ln((1 - p) / (w p + 1 - p)),  p clipped to [1e-7, 1 - 1e-7].
// For labels of frequency f its mean is smallest at p = f: the loss of a constant predictor.
double gw_label_loss(double probability, double label, double positive_weight);

// frequency[labels]: the mean of each label over examples with this label; 0 without examples.
gw_status gw_label_frequencies(const gw_labelled_set *set, double *frequency) GW_MUST_CHECK;

// The mean of gw_label_loss() over all values [examples][labels] that are not missing, 0 without any. There is one
// probability for each value, or (constant) one for each label.
double gw_label_loss_of(const gw_config *config, const float *values, int64_t examples, const float *probability);
double gw_label_loss_of_constant(const gw_config *config, const float *values, int64_t examples,
                                 const double *probability);

// Metrics of probabilities for labelled examples, and the metric for comparing weights.

typedef enum { GW_BY_AUROC, GW_BY_AUPRC, GW_BY_F1, GW_BY_LOSS } gw_criterion;
#define GW_CRITERIA "auroc|auprc|f1|loss"
gw_criterion gw_criterion_by_name(const char *name); // one of GW_CRITERIA; NULL: auroc

typedef struct {
    double loss; // gw_label_loss_of()
    gw_metric_summary summary;
} gw_label_metrics;

// For probabilities and values [examples][config->labels]. A label with only NaN is ignored. metrics[labels] is scratch
// memory. It is an error if no label has both positives and negatives.
gw_status gw_label_metrics_compute(const gw_config *config, const float *values, const float *probabilities,
                                   int64_t examples, gw_metric *metrics, gw_label_metrics *out) GW_MUST_CHECK;
// share[examples]: for the mean AUROC over labels, as in gw_auroc_shares_add(); all NaN if no label has two positives
// and two negatives.
gw_status gw_label_shares(const gw_config *config, const float *values, const float *probabilities, int64_t examples,
                          double *share) GW_MUST_CHECK;
// The metric, averaged over targets. Higher is better; the loss is negated.
double gw_label_metrics_value(const gw_label_metrics *metrics, gw_criterion by);
// Sets `prefix`_loss, _auroc, _median_auroc, _auprc, _f1 and _mcc.
void gw_label_metrics_report(const gw_label_metrics *metrics, const char *prefix, json_t *row);

// Metrics of predicted numbers of windows, for each column.

// The groups of a set's rows (gw_labelled_set_group()), numbered from 0.
typedef struct {
    int32_t *of; // [examples]
    int64_t count;
} gw_row_groups;

// The agreement of one column, with intervals from `samples` bootstrap samples; `groups` of all rows, or NULL.
typedef struct {
    const float *measured, *predicted; // [examples][labels]
    int64_t examples, labels;
    const gw_row_groups *groups;
    int64_t samples;
    uint64_t seed;
} gw_column_pairs;
gw_status gw_agreement_of_column(const gw_column_pairs *pairs, int64_t column, gw_agreement *out) GW_MUST_CHECK;

#endif
