// SPDX-License-Identifier: MIT
// y = x s(1.702 x), s(x) = 1 / (1 + exp(-x)); y' = s + 1.702 x s (1 - s)      (Hendrycks & Gimpel, 2016, section 2)
#include "reference/ref.h"

#include <math.h>

static double logistic(double x) {
    return 1.0 / (1.0 + exp(-1.702 * x));
}

void ref_gelu_quick(int64_t count, const double *in, double *out) {
    for (int64_t i = 0; i < count; i++) out[i] = in[i] * logistic(in[i]);
}

void ref_gelu_quick_backward(int64_t count, const double *in, const double *dout, double *din) {
    for (int64_t i = 0; i < count; i++) {
        const double s = logistic(in[i]);
        din[i] += dout[i] * (s + 1.702 * in[i] * s * (1.0 - s));
    }
}
