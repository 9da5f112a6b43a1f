// SPDX-License-Identifier: MIT
// Rates each label, and takes the mean and the median over them.
#include "task/windows/label_metrics.h"

#include "measure/metric.h"
#include "task/windows/label_loss.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

gw_criterion gw_criterion_by_name(const char *name) {
    static const char *const names[] = {"auroc", "auprc", "f1"};
    for (int i = 0; i < 3; i++)
        if (!name || strcmp(name, names[i]) == 0) return (gw_criterion)i;
    return GW_BY_LOSS;
}

gw_status gw_label_metrics_compute(const gw_config *config, const float *values, const float *probabilities,
                                   int64_t examples, gw_metric *metrics, gw_label_metrics *out) {
    const int64_t labels = config->labels;
    for (int64_t l = 0; l < labels; l++)
        GW_TRY(gw_metric_compute(probabilities + l, values + l, examples, labels, &metrics[l]));
    out->loss = gw_label_loss_of(config, values, examples, probabilities);
    GW_TRY(gw_metric_summarise(metrics, labels, 0, &out->summary));
    if (out->summary.targets > 0) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH, "no target of the validation set has both positives and negatives");
}

gw_status gw_label_shares(const gw_config *config, const float *values, const float *probabilities, int64_t examples,
                          double *share) {
    int64_t known = 0;
    for (int64_t i = 0; i < examples; i++) share[i] = 0;
    for (int64_t l = 0; l < config->labels; l++)
        GW_TRY(gw_auroc_shares_add(probabilities + l, values + l, examples, config->labels, 1, share, &known));
    for (int64_t i = 0; i < examples; i++) share[i] = known > 0 ? share[i] / (double)known : NAN;
    return GW_OK;
}

double gw_label_metrics_value(const gw_label_metrics *j, gw_criterion by) {
    switch (by) {
    case GW_BY_AUROC: return j->summary.mean.auroc;
    case GW_BY_AUPRC: return j->summary.mean.auprc;
    case GW_BY_F1: return j->summary.mean.f1;
    default: return -j->loss;
    }
}

static void set(json_t *row, const char *prefix, const char *name, double value) {
    char full[64];
    snprintf(full, sizeof full, "%s_%s", prefix, name);
    json_object_set_new(row, full, json_real(value));
}

void gw_label_metrics_report(const gw_label_metrics *j, const char *prefix, json_t *row) {
    set(row, prefix, "loss", j->loss);
    set(row, prefix, "auroc", j->summary.mean.auroc);
    set(row, prefix, "median_auroc", j->summary.median.auroc);
    set(row, prefix, "auprc", j->summary.mean.auprc);
    set(row, prefix, "f1", j->summary.mean.f1);
    set(row, prefix, "mcc", j->summary.mean.mcc);
}
