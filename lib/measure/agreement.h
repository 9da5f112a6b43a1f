// SPDX-License-Identifier: MIT
// How well numbers agree with others: correlations, bootstrap intervals, and both over rows and groups.
#ifndef GW_MEASURE_AGREEMENT_H
#define GW_MEASURE_AGREEMENT_H

#include "base/status.h"

#include <stdint.h>

// sum (x - mean x) (y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2); NaN where one of them is constant.
double gw_pearson(const double *x, const double *y, int64_t count);
// Pearson's of the ranks, ties at their average rank.
gw_status gw_spearman(const double *x, const double *y, int64_t count, double *out) GW_MUST_CHECK;

// Bootstrap intervals (Efron, 1979): what a metric becomes where its examples are drawn anew, with replacement. A
// function of the examples and the seed alone.
//
// A metric, and what holds 95 % of those of the samples; NaN: it means nothing.
typedef struct {
    double value, low, high;
} gw_interval;

// How often each of `count` examples is drawn in that sample of as many: times[count] is written.
void gw_bootstrap_draw(uint64_t seed, int64_t sample, int64_t count, int32_t *times);
// The interval of a metric from those of its samples, which are sorted; samples that are NaN are left out.
gw_interval gw_bootstrap_interval(double value, double *samples, int64_t count);
// The mean of `count` values, drawn `samples` times.
gw_status gw_bootstrap_mean(const double *values, int64_t count, int64_t samples, uint64_t seed,
                            gw_interval *out) GW_MUST_CHECK;

// How well predicted numbers agree with measured ones, with bootstrap intervals, over all rows and within groups.
//
// With x what was measured, p what was predicted:
//   Pearson, Spearman   as above
//   R^2                 1 - sum (x - p)^2 / sum (x - mean x)^2: 1 is exact, 0 as good as the mean, below 0 worse
//   within              Pearson over all rows of x and p less their means in the row's group
//   median              of Pearson's correlations in the groups of at least GW_LARGE_GROUP rows
// Samples draw rows or, where there are groups, whole groups.
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
