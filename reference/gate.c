// SPDX-License-Identifier: MIT
// y = g x; dg += dy x, dx += dy g      (the product of a gated unit: Shazeer, 2020, equation 5)
#include "reference/ref.h"

void ref_gate(int64_t count, const double *gate, const double *in, double *out) {
    for (int64_t i = 0; i < count; i++) out[i] = gate[i] * in[i];
}

void ref_gate_backward(int64_t count, const double *gate, const double *in, const double *dout, double *dgate,
                       double *din) {
    for (int64_t i = 0; i < count; i++) {
        dgate[i] += dout[i] * in[i];
        din[i] += dout[i] * gate[i];
    }
}
