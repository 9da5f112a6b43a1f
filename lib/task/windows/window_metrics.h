// SPDX-License-Identifier: MIT
// The training loss of labels from probabilities, and the loss of the label frequencies alone.
#ifndef GW_TASK_WINDOWS_WINDOW_METRICS_H
#define GW_TASK_WINDOWS_WINDOW_METRICS_H

#include "base/json.h"
#include "base/status.h"
#include "label/labelled_set.h"
#include "measure/agreement.h"
#include "measure/metric.h"
#include "model/config.h"

// The logit z behind a probability p is ln(p / (1 - p)) + ln w (label_predictor.h takes ln w off), so that the weighted
// cross entropy is
//   -w y ln(w p / (w p + 1 - p)) - (1 - y) ln((1 - p) / (w p + 1 - p)),  p clipped to [1e-7, 1 - 1e-7].
// Its mean over labels of frequency f is least at p = f: that is what the constant predictor costs.
double gw_label_loss(double probability, double label, double positive_weight);

// frequency[labels]: the mean of each label over the examples where it is not missing; 0 of none.
gw_status gw_label_frequencies(const gw_labelled_set *set, double *frequency) GW_MUST_CHECK;

// The mean of gw_label_loss() over the values [examples][labels] that are not missing, 0 of none; one probability for
// each value, or (constant) one for each label.
double gw_label_loss_of(const gw_config *config, const float *values, int64_t examples, const float *probability);
double gw_label_loss_of_constant(const gw_config *config, const float *values, int64_t examples,
                                 const double *probability);

// What probabilities of labelled examples are worth, and by which metric one set of weights is better than another.

typedef enum { GW_BY_AUROC, GW_BY_AUPRC, GW_BY_F1, GW_BY_LOSS } gw_criterion;
#define GW_CRITERIA "auroc|auprc|f1|loss"
gw_criterion gw_criterion_by_name(const char *name); // one of GW_CRITERIA; NULL: auroc

typedef struct {
    double loss; // gw_label_loss_of()
    gw_metric_summary summary;
} gw_label_metrics;

// Of probabilities and values [examples][config->labels]; a label whose values are all NaN does not count, and
// metrics[labels] is scratch. Values where no label has both positives and negatives are an error.
gw_status gw_label_metrics_compute(const gw_config *config, const float *values, const float *probabilities,
                                   int64_t examples, gw_metric *metrics, gw_label_metrics *out) GW_MUST_CHECK;
// share[examples]: of the mean AUROC over labels, as gw_auroc_shares_add(); all NaN where no label has two positives
// and two negatives.
gw_status gw_label_shares(const gw_config *config, const float *values, const float *probabilities, int64_t examples,
                          double *share) GW_MUST_CHECK;
// The metric, means over targets; more is better, also of the loss, which is negated.
double gw_label_metrics_value(const gw_label_metrics *metrics, gw_criterion by);
// Sets `prefix`_loss, _auroc, _median_auroc, _auprc, _f1 and _mcc.
void gw_label_metrics_report(const gw_label_metrics *metrics, const char *prefix, json_t *row);

// Metrics of predicted numbers of windows against measured ones, column by column.

// The groups of a set's rows (gw_labelled_set_group()), as numbers from 0.
typedef struct {
    int32_t *of; // [examples]
    int64_t count;
} gw_row_groups;

// The agreement of one column, with intervals of `samples` samples; `groups` of all rows, or NULL.
typedef struct {
    const float *measured, *predicted; // [examples][labels]
    int64_t examples, labels;
    const gw_row_groups *groups;
    int64_t samples;
    uint64_t seed;
} gw_column_pairs;
gw_status gw_agreement_of_column(const gw_column_pairs *pairs, int64_t column, gw_agreement *out) GW_MUST_CHECK;

#endif
