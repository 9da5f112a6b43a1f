// SPDX-License-Identifier: MIT
// GELU, tanh form (Hendrycks & Gimpel, 2016): x/2 (1 + tanh u), u = sqrt(2/pi) (x + 0.044715 x^3);
// derivative (1 + tanh u) / 2 + x/2 (1 - tanh^2 u) u'.
#include "reference/ref.h"

#include <math.h>

static const double ROOT = 0.79788456080286535588; // sqrt(2/pi)

void ref_gelu(int64_t count, const double *in, double *out) {
    for (int64_t i = 0; i < count; i++) {
        const double x = in[i];
        out[i] = 0.5 * x * (1.0 + tanh(ROOT * (x + 0.044715 * x * x * x)));
    }
}

void ref_gelu_backward(int64_t count, const double *in, const double *dout, double *din) {
    for (int64_t i = 0; i < count; i++) {
        const double x = in[i], t = tanh(ROOT * (x + 0.044715 * x * x * x));
        const double inner = ROOT * (1.0 + 3.0 * 0.044715 * x * x);
        din[i] += dout[i] * (0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * inner);
    }
}
