// SPDX-License-Identifier: MIT
// Adam with decoupled weight decay (Loshchilov & Hutter, 2019, Algorithm 2), correction1 = 1 - b1^t, correction2 = 1 -
// b2^t.
#include "reference/ref.h"

#include <math.h>

void ref_adamw(int64_t count, const ref_adamw_options *options, const double *gradient, double *weight,
               double *first_moment, double *second_moment) {
    for (int64_t i = 0; i < count; i++) {
        const double g = gradient[i] * options->gradient_scale;
        first_moment[i] = options->beta1 * first_moment[i] + (1.0 - options->beta1) * g;
        second_moment[i] = options->beta2 * second_moment[i] + (1.0 - options->beta2) * g * g;
        const double m = first_moment[i] / options->correction1, v = second_moment[i] / options->correction2;
        weight[i] -= options->rate * (m / (sqrt(v) + options->epsilon) + options->decay * weight[i]);
    }
}
