// SPDX-License-Identifier: MIT
// sum_i x_i^2, with Neumaier's compensation: the truth for sums of millions of doubles.
#include "reference/ref.h"

#include <math.h>

double ref_square_sum(int64_t count, const double *in) {
    double sum = 0.0, lost = 0.0;
    for (int64_t i = 0; i < count; i++) {
        const double term = in[i] * in[i], next = sum + term;
        lost += fabs(sum) >= fabs(term) ? (sum - next) + term : (term - next) + sum;
        sum = next;
    }
    return sum + lost;
}
