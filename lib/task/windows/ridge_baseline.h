// SPDX-License-Identifier: MIT
// What a ridge regression on frequencies of 5-mers makes of measured numbers: the least that a model must do better
// than.
#ifndef GW_TASK_WINDOWS_RIDGE_BASELINE_H
#define GW_TASK_WINDOWS_RIDGE_BASELINE_H

#include "task/windows/number_metrics.h"

enum { GW_RIDGE_KMER = 5 };

typedef struct {
    gw_labelled_set *train, *valid;
    const gw_config *config;
    const float *measured; // [valid examples][labels]
    bool both_strands;     // a k-mer and its reverse complement are one
} gw_ridge_baseline_options;

typedef struct {
    bool made;
    float *predicted; // [valid examples][labels]. free() it
    gw_number_metrics metrics;
} gw_ridge_baseline;

// Whether it takes seconds: bases times columns are 15 million at most.
bool gw_ridge_baseline_is_cheap(const gw_labelled_set *train, const gw_labelled_set *valid);
// Of each column the strength, 1e-5 to 1 by tens, is the one with the largest Pearson correlation on the validation
// set.
gw_status gw_ridge_baseline_run(const gw_ridge_baseline_options *options, gw_ridge_baseline *out) GW_MUST_CHECK;

#endif
