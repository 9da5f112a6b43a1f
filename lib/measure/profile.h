// SPDX-License-Identifier: MIT
// The distance of two profiles: distributions of counts along a window.
#ifndef GW_MEASURE_PROFILE_H
#define GW_MEASURE_PROFILE_H

#include "base/status.h"

#include <stdint.h>

// The Jensen-Shannon distance of p and q, each divided by its sum: with m = (p + q) / 2
//   sqrt(KL(p || m) / 2 + KL(q || m) / 2),  KL(p || m) = sum of p log2(p / m)
// 0 if they are equal, 1 if they share nothing; NaN if all values of p or of q are 0.
double gw_profile_distance(const double *p, const double *q, int64_t count);

#endif
