// SPDX-License-Identifier: MIT
// How well predicted numbers agree with measured ones, with bootstrap intervals, over all rows and within groups.
//
// With x what was measured, p what was predicted:
//   Pearson, Spearman   correlation.h
//   R^2                 1 - sum (x - p)^2 / sum (x - mean x)^2: 1 is exact, 0 as good as the mean, below 0 worse
//   within              Pearson over all rows of x and p less their means in the row's group
//   median              of Pearson's correlations in the groups of at least GW_LARGE_GROUP rows
// Samples draw rows or, where there are groups, whole groups.
#ifndef GW_MEASURE_AGREEMENT_H
#define GW_MEASURE_AGREEMENT_H

#include "measure/bootstrap.h"

enum { GW_LARGE_GROUP = 5 };

typedef struct {
    const double *measured, *predicted; // [count]
    int64_t count;
    const int32_t *group; // [count] 0 to groups - 1; NULL: none
    int64_t groups;
    int64_t samples; // of the intervals; 0: none, they are NaN
    uint64_t seed;
} gw_agreement_pairs;

typedef struct {
    int64_t count;
    gw_interval pearson, spearman, r2;
    // Of groups; else 0 and NaN
    int64_t groups, lone, large; // with rows; of one row, which say nothing within it; of at least GW_LARGE_GROUP rows
    gw_interval within, median;
} gw_agreement;

// Metrics are NaN where they mean nothing: of constant numbers, of none.
gw_status gw_agreement_compute(const gw_agreement_pairs *pairs, gw_agreement *out) GW_MUST_CHECK;

#endif
