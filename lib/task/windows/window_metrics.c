// SPDX-License-Identifier: MIT
// Metrics for predictions of labelled windows: loss and metrics of probabilities, for each label, with the mean and the
// median over labels; and the agreement of predicted with measured numbers. Sums are in double precision, in the order
// of the examples.
#include "task/windows/window_metrics.h"
#include "base/memory.h"
#include "label/row_file.h"
#include "measure/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double gw_label_loss(double probability, double label, double positive_weight) {
    const double least = 1e-7;
    const double p = fmin(fmax(probability, least), 1 - least), yes = positive_weight * p, no = 1 - p;
    return -positive_weight * label * log(yes / (yes + no)) - (1 - label) * log(no / (yes + no));
}

gw_status gw_label_frequencies(const gw_labelled_set *set, double *frequency) {
    const int64_t labels = gw_labelled_set_labels(set);
    float *values = gw_alloc(labels, sizeof *values);
    int64_t *count = gw_alloc(labels, sizeof *count), packed = 0;
    const gw_status status = values && count ? GW_OK : GW_ERR_MEMORY;
    for (int64_t l = 0; l < labels; l++) frequency[l] = 0;
    for (int64_t i = 0; status == GW_OK && i < gw_labelled_set_count(set); i++) {
        const uint8_t *bits = gw_labelled_set_bits(set, i); // most of which are 0 in sets of millions of examples
        for (int64_t byte = 0; bits && byte < gw_row_bytes(&gw_label_rows, labels); byte++)
            for (unsigned left = bits[byte]; left; left &= left - 1) frequency[8 * byte + __builtin_ctz(left)]++;
        packed += bits != NULL;
        if (bits) continue;
        gw_labelled_set_values(set, i, values);
        for (int64_t l = 0; l < labels; l++) {
            if (isnan(values[l])) continue;
            frequency[l] += (double)values[l];
            count[l]++;
        }
    }
    for (int64_t l = 0; status == GW_OK && l < labels; l++)
        if (count[l] + packed > 0) frequency[l] /= (double)(count[l] + packed);
    free(values);
    free(count);
    return status;
}

typedef struct {
    double sum;
    int64_t count;
} loss_sum;

static void add(loss_sum *sum, double probability, float value, double weight) {
    if (isnan(value)) return;
    sum->sum += gw_label_loss(probability, (double)value, weight);
    sum->count++;
}

static double mean(const loss_sum *sum) {
    return sum->count > 0 ? sum->sum / (double)sum->count : 0;
}

double gw_label_loss_of(const gw_config *config, const float *values, int64_t examples, const float *probability) {
    loss_sum sum = {0};
    for (int64_t i = 0; i < examples * config->labels; i++)
        add(&sum, (double)probability[i], values[i], gw_config_positive_weight(config, i % config->labels));
    return mean(&sum);
}

double gw_label_loss_of_constant(const gw_config *config, const float *values, int64_t examples,
                                 const double *probability) {
    loss_sum sum = {0};
    for (int64_t i = 0; i < examples * config->labels; i++)
        add(&sum, probability[i % config->labels], values[i], gw_config_positive_weight(config, i % config->labels));
    return mean(&sum);
}

// --- what probabilities are worth

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

// --- numbers

// Pairs of a column without those that are missing, in the order of the examples.
gw_status gw_agreement_of_column(const gw_column_pairs *pairs, int64_t c, gw_agreement *out) {
    const int64_t examples = pairs->examples;
    double *measured = gw_alloc(examples, sizeof *measured), *predicted = gw_alloc(examples, sizeof *predicted);
    int32_t *group = gw_alloc(examples, sizeof *group);
    int64_t count = 0;
    gw_status status = measured && predicted && group ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < examples; i++) {
        if (isnan(pairs->measured[i * pairs->labels + c])) continue;
        measured[count] = (double)pairs->measured[i * pairs->labels + c];
        predicted[count] = (double)pairs->predicted[i * pairs->labels + c];
        group[count++] = pairs->groups ? pairs->groups->of[i] : 0;
    }
    const gw_agreement_pairs known = {.measured = measured,
                                      .predicted = predicted,
                                      .count = count,
                                      .group = pairs->groups ? group : NULL,
                                      .groups = pairs->groups ? pairs->groups->count : 0,
                                      .samples = count > 0 ? pairs->samples : 0,
                                      .seed = pairs->seed};
    if (status == GW_OK) status = gw_agreement_compute(&known, out);
    free(measured);
    free(predicted);
    free(group);
    return status;
}
