// SPDX-License-Identifier: MIT
// A block of a transformer's decoder (Vaswani et al., 2017, section 3.1), for one target of T tokens and one source of
// S:
//   x = x + A(LN(x), LN(x), causal)      x = x + A(LN(x), memory)      x = x + W_2 act(W_1 LN(x))
// or, with norms after the sums, x = LN(x + A(x, x, causal)) and so on. A(q, m) joins H heads of
// softmax((W_q q) (W_k m)^T / sqrt(E / H)) W_v m by W_o.
#include "reference/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *make(int64_t count) {
    return calloc((size_t)count, sizeof(double));
}

static double *linear(int64_t rows, int64_t in, int64_t out, const double *weight, const double *bias,
                      const double *x) {
    double *y = make(rows * out);
    ref_gemm(false, true, false, rows, out, in, x, weight, bias, y);
    return y;
}

static void normalise(const ref_decoder_shape *s, const double *weight, const double *bias, double *x) {
    double *moments = make(2 * s->targets);
    ref_layer_norm(s->targets, s->width, s->epsilon, x, weight, bias, x, moments, moments + s->targets);
    free(moments);
}

// Head h of x[rows][width] as rows of its own.
static double *head_of(const ref_decoder_shape *s, int64_t rows, int h, const double *x) {
    const int64_t size = s->width / s->heads;
    double *out = make(rows * size);
    for (int64_t i = 0; i < rows; i++) memcpy(out + i * size, x + i * s->width + h * size, (size_t)size * sizeof *out);
    return out;
}

static double *attend(const ref_decoder_shape *s, const ref_decoder_attention *w, const double *x, int64_t keys,
                      const double *memory, bool causal) {
    const int64_t rows = s->targets, width = s->width, size = width / s->heads;
    double *query = linear(rows, width, width, w->weight[0], w->bias[0], x),
           *key = linear(keys, width, width, w->weight[1], w->bias[1], memory),
           *value = linear(keys, width, width, w->weight[2], w->bias[2], memory), *term = make(rows * keys),
           *read = make(rows * width), *log_sum = make(rows), *out = make(rows * size);
    for (int64_t i = 0; i < rows * keys; i++) term[i] = causal && i % keys > i / keys ? -INFINITY : 0.0;
    for (int h = 0; h < s->heads; h++) {
        double *q = head_of(s, rows, h, query), *k = head_of(s, keys, h, key), *v = head_of(s, keys, h, value);
        ref_attention(rows, keys, size, 1 / sqrt((double)size), q, k, v, term, out, log_sum);
        for (int64_t i = 0; i < rows; i++)
            memcpy(read + i * width + h * size, out + i * size, (size_t)size * sizeof *out);
        free(q);
        free(k);
        free(v);
    }
    double *joined = linear(rows, width, width, w->weight[3], w->bias[3], read);
    free(query);
    free(key);
    free(value);
    free(term);
    free(read);
    free(log_sum);
    free(out);
    return joined;
}

static double *feed_forward(const ref_decoder_shape *s, const ref_decoder_weights *w, const double *x) {
    const int64_t count = s->targets * s->wide;
    double *inner = linear(s->targets, s->width, s->wide, w->inner, w->inner_bias, x);
    if (s->activation == 'r') ref_relu(count, inner, inner);
    else if (s->activation == 't') ref_gelu(count, inner, inner);
    else ref_gelu_exact(count, inner, inner);
    double *out = linear(s->targets, s->wide, s->width, w->outer, w->outer_bias, inner);
    free(inner);
    return out;
}

void ref_decoder_block(const ref_decoder_shape *s, const ref_decoder_weights *w, const double *memory, double *x) {
    const double *const norm[3][2] = {
        {w->own.norm, w->own.norm_bias}, {w->cross.norm, w->cross.norm_bias}, {w->norm, w->norm_bias}};
    const int64_t count = s->targets * s->width;
    for (int part = 0; part < 3; part++) {
        double *in = make(count);
        memcpy(in, x, (size_t)count * sizeof *in);
        if (s->norm_before) normalise(s, norm[part][0], norm[part][1], in);
        double *y = part == 0   ? attend(s, &w->own, in, s->targets, in, true)
                    : part == 1 ? attend(s, &w->cross, in, s->sources, memory, false)
                                : feed_forward(s, w, in);
        for (int64_t i = 0; i < count; i++) x[i] += y[i];
        if (!s->norm_before) normalise(s, norm[part][0], norm[part][1], x);
        free(in);
        free(y);
    }
}
