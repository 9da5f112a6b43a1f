// SPDX-License-Identifier: MIT
// The rows of a sequence summed with the softmax of their scores, P_r = exp(f s_r) / sum over q of exp(f s_q):
//   out = sum over r of P_r in_r;  d in_r = P_r dout,  d s_r = f P_r (dout . in_r - sum over q of P_q dout . in_q)
// (Yang et al., 2016, eqs. 6 and 7, with the query inside the scores).
#include "reference/ref.h"

#include <math.h>

static double weight_of(int64_t rows, double factor, const double *score, int64_t row) {
    double largest = score[0] * factor, sum = 0.0;
    for (int64_t r = 1; r < rows; r++) largest = fmax(largest, score[r] * factor);
    for (int64_t r = 0; r < rows; r++) sum += exp(score[r] * factor - largest);
    return exp(score[row] * factor - largest) / sum;
}

void ref_attention_pool(int64_t rows, int64_t width, double factor, const double *in, const double *score,
                        double *out) {
    for (int64_t i = 0; i < width; i++) out[i] = 0.0;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < width; i++) out[i] += weight_of(rows, factor, score, r) * in[r * width + i];
}

static double product(int64_t width, const double *a, const double *b) {
    double sum = 0.0;
    for (int64_t i = 0; i < width; i++) sum += a[i] * b[i];
    return sum;
}

void ref_attention_pool_backward(int64_t rows, int64_t width, double factor, const double *in, const double *score,
                                 const double *dout, double *din, double *dscore) {
    double mean = 0.0;
    for (int64_t r = 0; r < rows; r++) mean += weight_of(rows, factor, score, r) * product(width, dout, in + r * width);
    for (int64_t r = 0; r < rows; r++) {
        const double p = weight_of(rows, factor, score, r);
        for (int64_t i = 0; i < width; i++) din[r * width + i] = p * dout[i];
        dscore[r] = factor * p * (product(width, dout, in + r * width) - mean);
    }
}
