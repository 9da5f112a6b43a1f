// SPDX-License-Identifier: MIT
// What predicted numbers of windows are worth beside measured ones, column by column.
#ifndef GW_TASK_WINDOWS_NUMBER_METRICS_H
#define GW_TASK_WINDOWS_NUMBER_METRICS_H

#include "base/json.h"
#include "label/labelled_set.h"
#include "measure/agreement.h"
#include "model/config.h"

// Means over the columns of which a number is known; NaN where a metric means nothing for one of these.
typedef struct {
    double mse; // of numbers as the network learns them
    double pearson, spearman, r2;
} gw_number_metrics;

typedef enum { GW_BY_PEARSON, GW_BY_SPEARMAN, GW_BY_MSE } gw_number_criterion;
// One of "pearson", "spearman" and "loss"; NULL: pearson; -1: none of them.
int gw_number_criterion_by_name(const char *name);

// Of numbers [examples][config->labels], missing ones left out.
gw_status gw_number_metrics_compute(const gw_config *config, const float *measured, const float *predicted,
                                    int64_t examples, gw_number_metrics *out) GW_MUST_CHECK;
// The metric; more is better, also of the squared error, which is negated, and what means nothing is worse than all.
double gw_number_metrics_value(const gw_number_metrics *metrics, gw_number_criterion by);
// Sets `prefix`_mse, _pearson, _spearman and _r2, those that mean something.
void gw_number_metrics_report(const gw_number_metrics *metrics, const char *prefix, json_t *row);

// What the rows of a set are grouped by (gw_labelled_set_group()), as numbers from 0.
typedef struct {
    int32_t *of; // [examples]
    int64_t count;
} gw_row_groups;
gw_status gw_row_groups_make(const gw_labelled_set *set, gw_row_groups *out) GW_MUST_CHECK;

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
