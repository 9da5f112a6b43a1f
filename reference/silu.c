// SPDX-License-Identifier: MIT
// y = x s(x), s(x) = 1 / (1 + exp(-x)); y' = s + x s (1 - s)      (Elfwing et al., 2018)
#include "reference/ref.h"

#include <math.h>

void ref_silu(int64_t count, const double *in, double *out) {
    for (int64_t i = 0; i < count; i++) out[i] = in[i] / (1.0 + exp(-in[i]));
}

void ref_silu_backward(int64_t count, const double *in, const double *dout, double *din) {
    for (int64_t i = 0; i < count; i++) {
        const double s = 1.0 / (1.0 + exp(-in[i]));
        din[i] += dout[i] * (s + in[i] * s * (1.0 - s));
    }
}
