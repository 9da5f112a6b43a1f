// SPDX-License-Identifier: MIT
// Sums in double, in the order of the examples.
#include "task/windows/window_metrics.h"
#include "base/memory.h"
#include "label/label_bits.h"
#include "measure/auroc_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double gw_label_loss(double probability, double label, double positive_weight) {
    const double least = 1e-7;
    const double p = fmin(fmax(probability, least), 1 - least), yes = positive_weight * p, no = 1 - p;
    return -positive_weight * label * log(yes / (yes + no)) - (1 - label) * log(no / (yes + no));
}

// Adds an example's labels to sums and counts; what is missing is not counted.
static void add_values(const float *values, int64_t labels, double *sum, int64_t *count) {
    for (int64_t l = 0; l < labels; l++) {
        if (isnan(values[l])) continue;
        sum[l] += (double)values[l];
        count[l]++;
    }
}

// The same of packed labels, most of which are 0 in sets of millions of examples.
static void add_bits(const uint8_t *bits, int64_t labels, double *sum, int64_t *examples) {
    for (int64_t byte = 0; byte < gw_row_bytes(&gw_label_rows, labels); byte++)
        for (unsigned left = bits[byte]; left; left &= left - 1) sum[8 * byte + __builtin_ctz(left)]++;
    ++*examples;
}

gw_status gw_label_frequencies(const gw_labelled_set *set, double *frequency) {
    const int64_t labels = gw_labelled_set_labels(set);
    float *values = gw_alloc(labels, sizeof *values);
    int64_t *count = gw_alloc(labels, sizeof *count), packed = 0;
    const gw_status status = values && count ? GW_OK : GW_ERR_MEMORY;
    for (int64_t l = 0; l < labels; l++) frequency[l] = 0;
    for (int64_t i = 0; status == GW_OK && i < gw_labelled_set_count(set); i++) {
        const uint8_t *bits = gw_labelled_set_bits(set, i);
        if (bits) {
            add_bits(bits, labels, frequency, &packed);
            continue;
        }
        gw_labelled_set_values(set, i, values);
        add_values(values, labels, frequency, count);
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

// Rates each label, and takes the mean and the median over them.

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

// Pairs of a column without those that are missing, in the order of the examples.

int gw_number_criterion_by_name(const char *name) {
    static const char *const names[] = {"pearson", "spearman", "loss"};
    for (int i = 0; i < 3; i++)
        if (!name || strcmp(name, names[i]) == 0) return i;
    return -1;
}

// --- groups --------------------------------------------------------------------------------------------------------

typedef struct {
    const char *text;
    int64_t row;
} grouped_row;

static int by_text(const void *a, const void *b) {
    return strcmp(((const grouped_row *)a)->text, ((const grouped_row *)b)->text);
}

gw_status gw_row_groups_make(const gw_labelled_set *set, gw_row_groups *out) {
    const int64_t rows = gw_labelled_set_count(set);
    *out = (gw_row_groups){.of = gw_alloc(rows, sizeof *out->of)};
    grouped_row *sorted = gw_alloc(rows, sizeof *sorted);
    const gw_status status = out->of && sorted ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) {
        for (int64_t i = 0; i < rows; i++) sorted[i] = (grouped_row){gw_labelled_set_group(set, i), i};
        qsort(sorted, (size_t)rows, sizeof *sorted, by_text);
        for (int64_t i = 0; i < rows; i++) {
            out->count += i == 0 || by_text(&sorted[i - 1], &sorted[i]) != 0;
            out->of[sorted[i].row] = (int32_t)(out->count - 1);
        }
    }
    free(sorted);
    return status;
}

// --- a column ------------------------------------------------------------------------------------------------------

typedef struct {
    double *measured, *predicted;
    int32_t *group;
    int64_t count;
} column;

static gw_status read_column(const gw_column_pairs *pairs, int64_t c, column *out) {
    *out = (column){.measured = gw_alloc(2 * pairs->examples, sizeof(double)),
                    .group = gw_alloc(pairs->examples, sizeof(int32_t))};
    if (!out->measured || !out->group) return GW_ERR_MEMORY;
    out->predicted = out->measured + pairs->examples;
    for (int64_t i = 0; i < pairs->examples; i++) {
        const float measured = pairs->measured[i * pairs->labels + c];
        if (isnan(measured)) continue;
        out->measured[out->count] = (double)measured;
        out->predicted[out->count] = (double)pairs->predicted[i * pairs->labels + c];
        out->group[out->count++] = pairs->groups ? pairs->groups->of[i] : 0;
    }
    return GW_OK;
}

gw_status gw_agreement_of_column(const gw_column_pairs *pairs, int64_t c, gw_agreement *out) {
    column own;
    gw_status status = read_column(pairs, c, &own);
    const gw_agreement_pairs known = {.measured = own.measured,
                                      .predicted = own.predicted,
                                      .count = own.count,
                                      .group = pairs->groups ? own.group : NULL,
                                      .groups = pairs->groups ? pairs->groups->count : 0,
                                      .samples = own.count > 0 ? pairs->samples : 0,
                                      .seed = pairs->seed};
    if (status == GW_OK) status = gw_agreement_compute(&known, out);
    free(own.measured);
    free(own.group);
    return status;
}

// --- all columns ---------------------------------------------------------------------------------------------------

static double squared_error(const gw_config *config, const float *measured, const float *predicted, int64_t examples) {
    const int64_t labels = config->labels;
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < examples * labels; i++) {
        const double unit = config->numbers.deviation ? config->numbers.deviation[i % labels] : 1;
        const double apart = ((double)measured[i] - (double)predicted[i]) / unit;
        if (isnan(measured[i])) continue;
        sum += apart * apart;
        count++;
    }
    return count > 0 ? sum / (double)count : NAN;
}

gw_status gw_number_metrics_compute(const gw_config *config, const float *measured, const float *predicted,
                                    int64_t examples, gw_number_metrics *out) {
    const gw_column_pairs pairs = {
        .measured = measured, .predicted = predicted, .examples = examples, .labels = config->labels};
    *out = (gw_number_metrics){.mse = squared_error(config, measured, predicted, examples)};
    int64_t known = 0;
    for (int64_t c = 0; c < config->labels; c++) {
        gw_agreement one;
        GW_TRY(gw_agreement_of_column(&pairs, c, &one));
        if (one.count == 0) continue;
        known++;
        out->pearson += one.pearson.value;
        out->spearman += one.spearman.value;
        out->r2 += one.r2.value;
    }
    out->pearson /= (double)known; // NaN of no column
    out->spearman /= (double)known;
    out->r2 /= (double)known;
    return GW_OK;
}

double gw_number_metrics_value(const gw_number_metrics *j, gw_number_criterion by) {
    static const double worst = -1e30;
    const double value = by == GW_BY_PEARSON ? j->pearson : by == GW_BY_SPEARMAN ? j->spearman : -j->mse;
    return isnan(value) ? worst : value;
}

void gw_number_metrics_report(const gw_number_metrics *j, const char *prefix, json_t *row) {
    const struct {
        const char *name;
        double value;
    } metrics[] = {{"mse", j->mse}, {"pearson", j->pearson}, {"spearman", j->spearman}, {"r2", j->r2}};
    for (size_t f = 0; f < sizeof metrics / sizeof *metrics; f++) {
        char name[64];
        snprintf(name, sizeof name, "%s_%s", prefix, metrics[f].name);
        if (!isnan(metrics[f].value)) json_object_set_new(row, name, json_real(metrics[f].value));
    }
}
