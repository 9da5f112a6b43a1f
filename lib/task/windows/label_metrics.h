// SPDX-License-Identifier: MIT
// What probabilities of labelled examples are worth, and by which metric one set of weights is better than another.
#ifndef GW_TASK_WINDOWS_LABEL_METRICS_H
#define GW_TASK_WINDOWS_LABEL_METRICS_H

#include "base/json.h"
#include "measure/metric.h"
#include "model/config.h"

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

#endif
