// SPDX-License-Identifier: MIT
// Bootstrap intervals (Efron, 1979): what a metric becomes where its examples are drawn anew, with replacement. A
// function of the examples and the seed alone.
#ifndef GW_MEASURE_BOOTSTRAP_H
#define GW_MEASURE_BOOTSTRAP_H

#include "base/status.h"

#include <stdint.h>

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

#endif
