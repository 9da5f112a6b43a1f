// SPDX-License-Identifier: MIT
// y[r][o] = b[o] + sum over taps t and inputs i of o's group: W[t][o][i] x[r + (t - (taps - 1) / 2) dilation][i].
// Missing rows are zeros (Yu & Koltun, 2016, equation 2, with centred taps).
#include "reference/ref.h"

#include <stddef.h>

// The row that a tap reads for another one, or -1.
static int64_t row_of(const ref_convolution_shape *s, int64_t row, int64_t tap) {
    const int64_t from = row + (tap - (s->taps - 1) / 2) * s->dilation;
    return from >= 0 && from < s->rows ? from : -1;
}

// Where the inputs of an output's group begin.
static int64_t inputs_of(const ref_convolution_shape *s, int64_t o) {
    return o / (s->width / s->groups) * (s->in_width / s->groups);
}

void ref_convolution(const ref_convolution_shape *s, const double *in, const double *weight, const double *bias,
                     double *out) {
    const int64_t inputs = s->in_width / s->groups;
    for (int64_t row = 0; row < s->rows; row++)
        for (int64_t o = 0; o < s->width; o++) {
            double sum = bias ? bias[o] : 0.0;
            for (int64_t t = 0; t < s->taps; t++) {
                const int64_t from = row_of(s, row, t);
                const double *x = in + from * s->in_width + inputs_of(s, o), *w = weight + (t * s->width + o) * inputs;
                for (int64_t i = 0; i < inputs && from >= 0; i++) sum += w[i] * x[i];
            }
            out[row * s->width + o] = sum;
        }
}

// Every product w x of y's sum gives dw += dy x and dx += dy w.
void ref_convolution_backward(const ref_convolution_shape *s, const double *in, const double *weight,
                              const double *dout, double *din, double *dweight, double *dbias) {
    const int64_t inputs = s->in_width / s->groups;
    for (int64_t row = 0; row < s->rows; row++)
        for (int64_t o = 0; o < s->width; o++) {
            const double dy = dout[row * s->width + o];
            if (dbias) dbias[o] += dy;
            for (int64_t t = 0; t < s->taps; t++) {
                const int64_t from = row_of(s, row, t), w = (t * s->width + o) * inputs;
                const int64_t x = from * s->in_width + inputs_of(s, o);
                for (int64_t i = 0; i < inputs && from >= 0; i++) {
                    din[x + i] += dy * weight[w + i];
                    dweight[w + i] += dy * in[x + i];
                }
            }
        }
}
