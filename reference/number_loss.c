// SPDX-License-Identifier: MIT
// Losses of numbers y for predictions z; s is the logarithm of the variance, stored behind all z of the row:
//   squared (z - y)^2;  Huber d^2 / 2 up to |d| = bend, then bend |d| - bend^2 / 2, d = z - y;
//   Poisson -ln p(y | e^z) = e^z - y z + ln y!, without the last term;
//   Gaussian -ln p(y | z, e^s), without ln(2 pi) / 2
// A NaN label has neither loss nor gradient.
#include "reference/ref.h"

#include <math.h>

static double loss_of(const ref_numbers *of, double z, double s, double y) {
    const double d = fabs(z - y);
    if (of->kind == REF_HUBER) return d <= of->bend ? d * d / 2.0 : of->bend * d - of->bend * of->bend / 2.0;
    if (of->kind == REF_POISSON) return exp(z) - y * z;
    if (of->kind == REF_GAUSSIAN) return log(sqrt(exp(s))) + d * d / (2.0 * exp(s));
    return d * d;
}

static double slope_of(const ref_numbers *of, double z, double s, double y) {
    if (of->kind == REF_HUBER) return fmax(-of->bend, fmin(of->bend, z - y));
    if (of->kind == REF_POISSON) return exp(z) - y;
    if (of->kind == REF_GAUSSIAN) return (z - y) / exp(s);
    return 2.0 * (z - y);
}

void ref_number_loss(const ref_numbers *of, const double *logit, const double *label, double scale, double *loss,
                     double *gradient) {
    const int64_t columns = of->columns, parts = of->kind == REF_GAUSSIAN ? 2 : 1;
    for (int64_t row = 0; row < of->rows; row++)
        for (int64_t c = 0; c < columns; c++) {
            const double *z = logit + row * parts * columns + c;
            double *slope = gradient + row * parts * columns + c;
            const double y = label[row * columns + c], w = isnan(y) ? 0.0 : of->weight ? of->weight[c] : 1.0;
            const double s = parts == 2 ? z[columns] : 0.0, at = isnan(y) ? 0.0 : y;
            loss[row * columns + c] = w * loss_of(of, z[0], s, at);
            slope[0] = scale * w * slope_of(of, z[0], s, at);
            if (parts == 2) slope[columns] = scale * w * (1.0 - pow(z[0] - at, 2.0) / exp(s)) / 2.0;
        }
}
