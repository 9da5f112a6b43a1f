// SPDX-License-Identifier: MIT
// y = ln(1 + exp(x)); y' = 1 / (1 + exp(-x))      (Dugas et al., 2001, equation 4)
#include "reference/ref.h"

#include <math.h>

void ref_softplus(int64_t count, const double *in, double *out) {
    for (int64_t i = 0; i < count; i++) out[i] = in[i] > 0.0 ? in[i] + log1p(exp(-in[i])) : log1p(exp(in[i]));
}

void ref_softplus_backward(int64_t count, const double *in, const double *dout, double *din) {
    for (int64_t i = 0; i < count; i++) din[i] += dout[i] / (1.0 + exp(-in[i]));
}
