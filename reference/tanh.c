// SPDX-License-Identifier: MIT
// y = tanh x;  dx += dy (1 - tanh^2 x)
#include "reference/ref.h"

#include <math.h>

void ref_tanh(int64_t count, const double *in, double *out) {
    for (int64_t i = 0; i < count; i++) out[i] = tanh(in[i]);
}

void ref_tanh_backward(int64_t count, const double *in, const double *dout, double *din) {
    for (int64_t i = 0; i < count; i++) din[i] += dout[i] * (1.0 - tanh(in[i]) * tanh(in[i]));
}
