// SPDX-License-Identifier: MIT
// y = x where x > 0, else 0 (Nair & Hinton, 2010); dx += dy where x > 0. NaN stays NaN.
#include "reference/ref.h"

void ref_relu(int64_t count, const double *in, double *out) {
    for (int64_t i = 0; i < count; i++) out[i] = in[i] <= 0.0 ? 0.0 : in[i];
}

void ref_relu_backward(int64_t count, const double *in, const double *dout, double *din) {
    for (int64_t i = 0; i < count; i++)
        if (in[i] > 0.0) din[i] += dout[i];
}
