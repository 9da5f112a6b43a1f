// SPDX-License-Identifier: MIT
// Positive features of rows x, with given projections p = W x (Choromanski et al., 2021, Lemma 1):
//   out_rf = exp(p_rf - half |x_r|^2 - shift_r)
// The shift is the largest exponent of the row, or of all rows. It is not differentiated, because attention is the same
// for any shift. Gradients: dp_rf = dout_rf out_rf, dx_r = -2 half x_r sum_f dp_rf
#include "reference/ref.h"

#include <math.h>

static double exponent(int64_t features, int64_t size, double half, const double *in, const double *projected,
                       int64_t r, int64_t f) {
    double square = 0.0;
    for (int64_t d = 0; d < size; d++) square += in[r * size + d] * in[r * size + d];
    return projected[r * features + f] - half * square;
}

// The largest exponent of rows [begin, end).
static double largest(int64_t begin, int64_t end, int64_t features, int64_t size, double half, const double *in,
                      const double *projected) {
    double shift = -INFINITY;
    for (int64_t r = begin; r < end; r++)
        for (int64_t f = 0; f < features; f++) shift = fmax(shift, exponent(features, size, half, in, projected, r, f));
    return shift;
}

void ref_exp_features(int64_t rows, int64_t features, int64_t size, double half, bool of_all, const double *in,
                      const double *projected, double *out) {
    const double shift_of_all = largest(0, rows, features, size, half, in, projected);
    for (int64_t r = 0; r < rows; r++) {
        const double shift = of_all ? shift_of_all : largest(r, r + 1, features, size, half, in, projected);
        for (int64_t f = 0; f < features; f++)
            out[r * features + f] = exp(exponent(features, size, half, in, projected, r, f) - shift);
    }
}

void ref_exp_features_backward(int64_t rows, int64_t features, int64_t size, double half, const double *in,
                               const double *out, const double *dout, double *din, double *dprojected) {
    for (int64_t r = 0; r < rows; r++) {
        double sum = 0.0;
        for (int64_t f = 0; f < features; f++) {
            dprojected[r * features + f] = dout[r * features + f] * out[r * features + f];
            sum += dprojected[r * features + f];
        }
        for (int64_t d = 0; d < size; d++) din[r * size + d] = -2.0 * half * in[r * size + d] * sum;
    }
}
