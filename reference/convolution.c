// SPDX-License-Identifier: MIT
// y[r][o] = b[o] + sum over taps t and inputs i of o's group: W[t][o][i] x[r + (t - (taps - 1) / 2) dilation][i], where
// rows that are not there are zeros (Yu & Koltun, 2016, equation 2, with the taps centred). Every product of y's
// formula gives one of each gradient.
#include "reference/ref.h"

#include <stddef.h>

typedef struct {
    int64_t out, in, weight; // indices of a product's three numbers
} product;

// The products of one output number, in turn; false behind the last, and `in` negative where there is no such row.
static int next(const ref_convolution_shape *s, int64_t row, int64_t o, int64_t n, product *p) {
    const int64_t inputs = s->in_width / s->groups, tap = n / inputs, i = n % inputs;
    const int64_t from = row + (tap - (s->taps - 1) / 2) * s->dilation, group = o / (s->width / s->groups);
    p->out = row * s->width + o;
    p->in = from < 0 || from >= s->rows ? -1 : from * s->in_width + group * inputs + i;
    p->weight = (tap * s->width + o) * inputs + i;
    return tap < s->taps;
}

void ref_convolution(const ref_convolution_shape *shape, const double *in, const double *weight, const double *bias,
                     double *out) {
    product p;
    for (int64_t row = 0; row < shape->rows; row++)
        for (int64_t o = 0; o < shape->width; o++) {
            double sum = bias ? bias[o] : 0.0;
            for (int64_t n = 0; next(shape, row, o, n, &p); n++)
                if (p.in >= 0) sum += weight[p.weight] * in[p.in];
            out[row * shape->width + o] = sum;
        }
}

void ref_convolution_backward(const ref_convolution_shape *shape, const double *in, const double *weight,
                              const double *dout, double *din, double *dweight, double *dbias) {
    product p;
    for (int64_t row = 0; row < shape->rows; row++)
        for (int64_t o = 0; o < shape->width; o++) {
            const double dy = dout[row * shape->width + o];
            if (dbias) dbias[o] += dy;
            for (int64_t n = 0; next(shape, row, o, n, &p); n++) {
                if (p.in < 0) continue;
                din[p.in] += dy * weight[p.weight];
                dweight[p.weight] += dy * in[p.in];
            }
        }
}
