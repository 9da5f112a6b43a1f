// SPDX-License-Identifier: MIT
// y = elu(x) + 1: x + 1 where x > 0, exp(x) elsewhere; y' = 1, exp(x).
#include "reference/ref.h"

#include <math.h>

void ref_elu_plus_one(int64_t count, const double *in, double *out) {
    for (int64_t i = 0; i < count; i++) out[i] = in[i] > 0.0 ? in[i] + 1.0 : exp(in[i]);
}

void ref_elu_plus_one_backward(int64_t count, const double *in, const double *dout, double *din) {
    for (int64_t i = 0; i < count; i++) din[i] += dout[i] * (in[i] > 0.0 ? 1.0 : exp(in[i]));
}
