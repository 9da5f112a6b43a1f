// SPDX-License-Identifier: MIT
// Pairs of a column without those that are missing, in the order of the examples.
#include "task/windows/number_metrics.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
