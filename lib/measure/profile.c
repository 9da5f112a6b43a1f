// SPDX-License-Identifier: MIT
// A base that only one profile has still has a finite divergence from the mean of both, so the distance is always
// finite.
#include "measure/profile.h"

#include <math.h>

double gw_profile_distance(const double *p, const double *q, int64_t count) {
    double p_sum = 0, q_sum = 0, divergence = 0;
    for (int64_t i = 0; i < count; i++) {
        p_sum += p[i];
        q_sum += q[i];
    }
    if (p_sum <= 0 || q_sum <= 0) return NAN;
    for (int64_t i = 0; i < count; i++) {
        const double a = p[i] / p_sum, b = q[i] / q_sum, mean = (a + b) / 2;
        if (a > 0) divergence += a * log2(a / mean) / 2;
        if (b > 0) divergence += b * log2(b / mean) / 2;
    }
    return sqrt(fmax(divergence, 0));
}
