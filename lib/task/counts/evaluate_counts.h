// SPDX-License-Identifier: MIT
// Metrics of predicted profiles and counts of windows.
#ifndef GW_TASK_COUNTS_EVALUATE_COUNTS_H
#define GW_TASK_COUNTS_EVALUATE_COUNTS_H

#include "task/counts/count_set.h"
#include "task/evaluate.h"

enum { GW_PROFILE_COUNTS = 10 }; // profiles with fewer counts are not evaluated

// NaN: undefined, or unknown.
typedef struct {
    double loss;              // mean over windows (kernels/kernel.h: gw_profile_loss_args)
    double pearson, spearman; // of ln(1 + counts), over windows
    double distance, median;  // mean and median Jensen-Shannon distance (measure/profile.h) of the evaluated profiles
    int64_t windows, profiles;
} gw_count_metrics;

// Measured and predicted values of the windows of a set.
typedef struct {
    const gw_count_set *set;
    double count_weight;             // of the loss
    float *count;                    // [rows][strands] of a window
    double *share;                   // the same
    double *measured, *predicted;    // [windows] ln(1 + counts)
    double *loss, *distance, *rated; // [windows]; NaN: not evaluated; scratch
} gw_count_evaluator;

// Borrows the set, which must have counts. Free `out`, also after a failure.
gw_status gw_count_evaluator_make(const gw_count_set *set, double count_weight, gw_count_evaluator *out) GW_MUST_CHECK;
void gw_count_evaluator_free(gw_count_evaluator *evaluator); // zeros are fine
// Evaluates a network on the set.
gw_status gw_count_evaluator_run(gw_count_evaluator *evaluator, gw_count_network *network, const char *progress,
                                 gw_count_metrics *out) GW_MUST_CHECK;

// Baselines: the mean profile of the training windows, and a ridge regression of ln(1 + counts) on the 5-mers of a
// window, with the best strength for the evaluated set.
gw_status gw_count_evaluator_baseline(gw_count_evaluator *evaluator, const gw_count_set *train,
                                      gw_count_metrics *out) GW_MUST_CHECK;

// Writes a TSV with the columns
//   predictor windows profiles loss pearson spearman jsd median_jsd
// and the row model; with options->baselines, which are training sets, the row baseline; the row halves; and with
// options->replicates the row replicate.
gw_status gw_eval_counts(gw_model *model, const gw_eval_options *options) GW_MUST_CHECK;

#endif
