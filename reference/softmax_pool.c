// SPDX-License-Identifier: MIT
// Windows of `factor` rows (the last may be shorter), summed column by column with the softmax of their logits:
//   out_w = sum over r in w of P_r in_r,  P_r = exp(l_r) / sum over q in w of exp(l_q)
//   d in_r = P_r dout_w,  d l_r = P_r dout_w (in_r - out_w)      (Avsec et al., 2021, Enformer, attention pooling)
#include "reference/ref.h"

#include <math.h>

static double share_of(int64_t rows, int64_t width, int64_t factor, const double *logit, int64_t row, int64_t column) {
    const int64_t first = row / factor * factor;
    double sum = 0.0;
    for (int64_t r = first; r < first + factor && r < rows; r++)
        sum += exp(logit[r * width + column] - logit[row * width + column]);
    return 1.0 / sum;
}

void ref_softmax_pool(int64_t rows, int64_t width, int64_t factor, const double *in, const double *logit, double *out) {
    for (int64_t i = 0; i < (rows + factor - 1) / factor * width; i++) out[i] = 0.0;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < width; i++)
            out[r / factor * width + i] += share_of(rows, width, factor, logit, r, i) * in[r * width + i];
}

void ref_softmax_pool_backward(int64_t rows, int64_t width, int64_t factor, const double *in, const double *logit,
                               const double *out, const double *dout, double *din, double *dlogit) {
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = 0; i < width; i++) {
            const int64_t w = r / factor * width + i;
            const double share = share_of(rows, width, factor, logit, r, i) * dout[w];
            din[r * width + i] += share;
            dlogit[r * width + i] += share * (in[r * width + i] - out[w]);
        }
}
