// SPDX-License-Identifier: MIT
// Pearson's and Spearman's correlation of numbers.
#ifndef GW_MEASURE_CORRELATION_H
#define GW_MEASURE_CORRELATION_H

#include "base/status.h"

#include <stdint.h>

// sum (x - mean x) (y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2); NaN where one of them is constant.
double gw_pearson(const double *x, const double *y, int64_t count);
// Pearson's of the ranks, ties at their average rank.
gw_status gw_spearman(const double *x, const double *y, int64_t count, double *out) GW_MUST_CHECK;

#endif
