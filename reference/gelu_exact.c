// SPDX-License-Identifier: MIT
// GELU (Hendrycks & Gimpel, 2016, equation of section 2): x F(x), F(x) = (1 + erf(x / sqrt 2)) / 2 the normal
// distribution; derivative F(x) + x f(x), f(x) = exp(-x^2 / 2) / sqrt(2 pi) its density.
#include "reference/ref.h"

#include <math.h>

static const double ROOT_HALF = 0.70710678118654752440, DENSITY = 0.39894228040143267794; // 1/sqrt(2), 1/sqrt(2 pi)

static double normal_below(double x) {
    return 0.5 * erfc(-x * ROOT_HALF); // erfc, so that no digits are lost far below 0
}

void ref_gelu_exact(int64_t count, const double *in, double *out) {
    for (int64_t i = 0; i < count; i++) out[i] = in[i] * normal_below(in[i]);
}

void ref_gelu_exact_backward(int64_t count, const double *in, const double *dout, double *din) {
    for (int64_t i = 0; i < count; i++)
        din[i] += dout[i] * (normal_below(in[i]) + in[i] * DENSITY * exp(-0.5 * in[i] * in[i]));
}
