// SPDX-License-Identifier: MIT
// Agreement of numbers: correlations, bootstrap intervals, and both over rows and groups.
#ifndef GW_MEASURE_AGREEMENT_H
#define GW_MEASURE_AGREEMENT_H

#include "base/status.h"

#include <stdint.h>

// sum (x - mean x) (y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2); NaN if x or y is constant.
double gw_pearson(const double *x, const double *y, int64_t count);
// Pearson's correlation of the ranks; ties have their average rank.
gw_status gw_spearman(const double *x, const double *y, int64_t count, double *out) GW_MUST_CHECK;

// Bootstrap intervals (Efron, 1979): the metric for examples drawn with replacement. A function of the examples and the
// seed.
//
// A metric and the interval with 95 % of the samples' values; NaN: undefined.
typedef struct {
    double value, low, high;
} gw_interval;

// Fills times[count]: how often each of `count` examples is drawn in this sample of `count` draws.
void gw_bootstrap_draw(uint64_t seed, int64_t sample, int64_t count, int32_t *times);
// The interval of a metric from the values of its samples, which are sorted. NaN samples are ignored.
gw_interval gw_bootstrap_interval(double value, double *samples, int64_t count);
// The mean of `count` values, with `samples` bootstrap samples.
gw_status gw_bootstrap_mean(const double *values, int64_t count, int64_t samples, uint64_t seed,
                            gw_interval *out) GW_MUST_CHECK;

// Agreement of predicted with measured numbers, with bootstrap intervals, over all rows and within groups.
//
// x are the measured, p the predicted numbers:
//   Pearson, Spearman   as above
//   R^2                 1 - sum (x - p)^2 / sum (x - mean x)^2: 1 is exact, 0 equals the mean, below 0 is worse
//   within              Pearson over all rows, of x and p minus their means in the row's group
//   median              of Pearson's correlations in the groups with at least GW_LARGE_GROUP rows
// Samples draw rows, or whole groups if there are groups.
enum { GW_LARGE_GROUP = 5 };

typedef struct {
    const double *measured, *predicted; // [count]
    int64_t count;
    const int32_t *group; // [count] 0 to groups - 1; NULL: none
    int64_t groups;
    int64_t samples; // of the intervals; 0: none, intervals are NaN
    uint64_t seed;
} gw_agreement_pairs;

typedef struct {
    int64_t count;
    gw_interval pearson, spearman, r2;
    // With groups; otherwise 0 and NaN
    int64_t groups, lone, large; // groups with rows; with one row, which say nothing about `within`; with at least
                                 // GW_LARGE_GROUP rows
    gw_interval within, median;
} gw_agreement;

// Undefined metrics are NaN: for constant numbers, or no numbers.
gw_status gw_agreement_compute(const gw_agreement_pairs *pairs, gw_agreement *out) GW_MUST_CHECK;

#endif
