// SPDX-License-Identifier: MIT
// norm = sqrt(sum_i x_i^2), with Neumaier's compensation, as exact reference for sums of millions of doubles. The
// gradient is multiplied by clip / norm if it is longer than `clip` (Pascanu et al., 2013, Algorithm 1); 0: never.
#include "reference/ref.h"

#include <math.h>

double ref_gradient_norm(int64_t count, const double *in, double clip, double *scale) {
    double sum = 0.0, lost = 0.0;
    for (int64_t i = 0; i < count; i++) {
        const double term = in[i] * in[i], next = sum + term;
        lost += fabs(sum) >= fabs(term) ? (sum - next) + term : (term - next) + sum;
        sum = next;
    }
    const double norm = sqrt(sum + lost);
    *scale = clip > 0.0 && norm > clip ? clip / norm : 1.0;
    return norm;
}
