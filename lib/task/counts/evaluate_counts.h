// SPDX-License-Identifier: MIT
// Metrics of predicted profiles and counts of windows.
#ifndef GW_TASK_COUNTS_EVALUATE_COUNTS_H
#define GW_TASK_COUNTS_EVALUATE_COUNTS_H

#include "task/counts/count_set.h"
#include "task/evaluate.h"

enum { GW_PROFILE_COUNTS = 10 }; // a profile of fewer counts says too little to be rated

// NaN: it means nothing, or is not known.
typedef struct {
    double loss;              // mean over windows (kernels/kernel.h: gw_profile_loss_args)
    double pearson, spearman; // of ln(1 + counts) over windows
    double distance, median;  // mean and median Jensen-Shannon distance (measure/profile.h) of the rated profiles
    int64_t windows, profiles;
} gw_count_metrics;

// Measured and predicted values of the windows of a set.
typedef struct {
    const gw_count_set *set;
    double count_weight;             // of the loss
    float *count;                    // [rows][strands] of a window
    double *share;                   // the same
    double *measured, *predicted;    // [windows] ln(1 + counts)
    double *loss, *distance, *rated; // [windows]; NaN: not rated; scratch
} gw_count_evaluator;

// Borrows the set, which has counts. Free it, also on failure.
gw_status gw_count_evaluator_make(const gw_count_set *set, double count_weight, gw_count_evaluator *out) GW_MUST_CHECK;
void gw_count_evaluator_free(gw_count_evaluator *evaluator); // zeros are fine
// Rates a network on the set.
gw_status gw_count_evaluator_run(gw_count_evaluator *evaluator, gw_count_network *network, const char *progress,
                                 gw_count_metrics *out) GW_MUST_CHECK;

// The plain predictors: the mean profile of training windows, and a ridge regression of ln(1 + counts) on the 5-mers of
// a window, its strength the best one for the evaluated set.
gw_status gw_count_evaluator_baseline(gw_count_evaluator *evaluator, const gw_count_set *train,
                                      gw_count_metrics *out) GW_MUST_CHECK;

// Writes a TSV with the columns
//   predictor windows profiles loss pearson spearman jsd median_jsd
// and the rows model; with options->baselines, training sets, baseline; halves; with options->replicates replicate.
gw_status gw_eval_counts(gw_model *model, const gw_eval_options *options) GW_MUST_CHECK;

#endif
