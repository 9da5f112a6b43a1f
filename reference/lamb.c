// SPDX-License-Identifier: MIT
// LAMB (You et al., 2020, Algorithm 2, with phi the identity), of one tensor; the ratio is 1 where a norm is 0.
#include "reference/ref.h"

#include <math.h>
#include <stdlib.h>

static double norm(int64_t count, const double *of) {
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++) sum += of[i] * of[i];
    return sqrt(sum);
}

void ref_lamb(int64_t count, const ref_adamw_options *options, const double *gradient, double *weight,
              double *first_moment, double *second_moment) {
    double *update = malloc((size_t)count * sizeof *update);
    for (int64_t i = 0; i < count; i++) {
        const double g = gradient[i] * options->gradient_scale;
        first_moment[i] = options->beta1 * first_moment[i] + (1.0 - options->beta1) * g;
        second_moment[i] = options->beta2 * second_moment[i] + (1.0 - options->beta2) * g * g;
        const double m = first_moment[i] / options->correction1, v = second_moment[i] / options->correction2;
        update[i] = m / (sqrt(v) + options->epsilon) + options->decay * weight[i];
    }
    const double of_weights = norm(count, weight), of_updates = norm(count, update);
    const double ratio = of_weights > 0 && of_updates > 0 ? of_weights / of_updates : 1.0;
    for (int64_t i = 0; i < count; i++) weight[i] -= options->rate * ratio * update[i];
    free(update);
}
