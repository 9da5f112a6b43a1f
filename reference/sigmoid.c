// SPDX-License-Identifier: MIT
// y = 1 / (1 + exp(-x)); y' = y (1 - y)      (the logistic function)
#include "reference/ref.h"

#include <math.h>

void ref_sigmoid(int64_t count, const double *in, double *out) {
    for (int64_t i = 0; i < count; i++) out[i] = 1.0 / (1.0 + exp(-in[i]));
}

void ref_sigmoid_backward(int64_t count, const double *in, const double *dout, double *din) {
    for (int64_t i = 0; i < count; i++) {
        const double s = 1.0 / (1.0 + exp(-in[i]));
        din[i] += dout[i] * s * (1.0 - s);
    }
}
