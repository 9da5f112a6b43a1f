// SPDX-License-Identifier: MIT
// linear_attention and its backward pass: threads share the heads of all sequences, whose sums run in order. Of a head
// a thread has the state S[f][d] = sum of key[f] value[d] and Z[f] = sum of key[f], over all rows or, where it is
// causal, those read so far; in the backward pass also T[f][d] = sum of query[f] a[d] and U[f] = sum of query[f] b over
// the rows that read a key, with a = gradient / (query . Z) and b = -(a . out): what comes of each row is then
//   query_gradient[f] += S[f] . a + Z[f] b,  key_gradient[f] += T[f] . value + U[f],  value_gradient += key T
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/row_sums.h"
#include "kernels/cpu/linear_attention_state.h"

#include <float.h>

enum { TOGETHER = GW_LINEAR_ATTENTION_ROWS };

// Of a head of a sequence.
typedef struct {
    const gw_linear_attention_args *args;
    int64_t features, size, width, wide; // width: of rows of values, wide: of rows of features
    int64_t head, begin, end;            // rows
    float *state, *sum;                  // S or T, Z or U
    float *share;                        // a of some rows, [TOGETHER][size]
    float *shift;                        // b of these
} work;

static work work_of(const gw_linear_attention_args *args, int64_t item, int thread) {
    const int64_t s = item / args->heads;
    work w = {args,
              args->features,
              args->size,
              args->heads * args->size,
              args->heads * args->features,
              item % args->heads,
              args->start[s],
              args->start[s + 1]};
    w.state = args->scratch + thread * gw_linear_attention_state(args);
    w.sum = w.state + w.features * w.size;
    w.share = w.sum + w.features;
    w.shift = w.share + TOGETHER * w.size;
    return w;
}

static const float *features_of(const work *w, const float *rows, int64_t row) {
    return rows + row * w->wide + w->head * w->features;
}

static int64_t values_at(const work *w, int64_t row) {
    return row * w->width + w->head * w->size;
}

static void clear(const work *w) {
    for (int64_t i = 0; i < w->features * (w->size + 1); i++) w->state[i] = 0;
}

// state[f][d] += sum over the rows of left[f] right[d], sum[f] += that of left[f] weight; weight NULL: 1
static void add_products(const work *w, const float *left, const float *right, int64_t stride, const float *weight,
                         int64_t rows) {
    for (int64_t f = 0; f < w->features; f++) {
        float *state = w->state + f * w->size;
        for (int64_t d = 0; d < w->size; d += GW_LANES) {
            gw_f32v sum = gw_load_some(state + d, w->size - d);
            for (int64_t r = 0; r < rows; r++)
                sum += gw_all(left[r * w->wide + f]) * gw_load_some(right + r * stride + d, w->size - d);
            gw_store_some(state + d, sum, w->size - d);
        }
        for (int64_t r = 0; r < rows; r++) w->sum[f] += left[r * w->wide + f] * (weight ? weight[r] : 1);
    }
}

static void add_keys(const work *w, int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; r += TOGETHER)
        add_products(w, features_of(w, w->args->key, r), w->args->value + values_at(w, r), w->width, NULL,
                     r + TOGETHER < end ? TOGETHER : end - r);
}

// out (+)= factor * left S
static void read_state(const work *w, const float *left, float factor, bool adds, float *out) {
    for (int64_t d = 0; d < w->size; d += GW_LANES) {
        gw_f32v sum = gw_all(0.0f);
        for (int64_t f = 0; f < w->features; f++)
            sum += gw_all(left[f]) * gw_load_some(w->state + f * w->size + d, w->size - d);
        sum *= gw_all(factor);
        gw_store_some(out + d, adds ? sum + gw_load_some(out + d, w->size - d) : sum, w->size - d);
    }
}

// A sum of 0 is one of features that all vanish: the row reads nothing then.
static float inverse(float sum) {
    return sum < FLT_MIN ? 0 : 1 / sum;
}

static void read_head(const work *w) {
    const gw_linear_attention_args *args = w->args;
    clear(w);
    if (!args->causal) add_keys(w, w->begin, w->end);
    for (int64_t r = w->begin; r < w->end; r++) {
        const float *query = features_of(w, args->query, r);
        if (args->causal) add_keys(w, r, r + 1);
        const float sum = gw_row_product(query, w->sum, w->features);
        read_state(w, query, inverse(sum), false, args->out + values_at(w, r));
        args->sum[r * args->heads + w->head] = sum;
    }
}

// a and b of a row.
static void share_row(const work *w, int64_t row, float *share, float *shift) {
    const gw_linear_attention_args *args = w->args;
    const float *gradient = args->out_gradient + values_at(w, row);
    const float factor = inverse(args->sum[row * args->heads + w->head]);
    for (int64_t d = 0; d < w->size; d++) share[d] = factor * gradient[d];
    *shift = -gw_row_product(share, args->out + values_at(w, row), w->size);
}

static void add_queries(const work *w, int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; r += TOGETHER) {
        const int64_t rows = r + TOGETHER < end ? TOGETHER : end - r;
        for (int64_t i = 0; i < rows; i++) share_row(w, r + i, w->share + i * w->size, w->shift + i);
        add_products(w, features_of(w, w->args->query, r), w->share, w->size, w->shift, rows);
    }
}

// gradient[f] += state[f] . row + factor sum[f]
static void add_feature_gradient(const work *w, const float *row, float factor, float *gradient) {
    for (int64_t f = 0; f < w->features; f++)
        gradient[f] += gw_row_product(w->state + f * w->size, row, w->size) + factor * w->sum[f];
}

static void spread_to_queries(const work *w) {
    const gw_linear_attention_args *args = w->args;
    clear(w);
    if (!args->causal) add_keys(w, w->begin, w->end);
    for (int64_t r = w->begin; r < w->end; r++) {
        if (args->causal) add_keys(w, r, r + 1);
        share_row(w, r, w->share, w->shift);
        add_feature_gradient(w, w->share, w->shift[0], args->query_gradient + r * w->wide + w->head * w->features);
    }
}

static void spread_to_keys(const work *w) {
    const gw_linear_attention_args *args = w->args;
    clear(w);
    if (!args->causal) add_queries(w, w->begin, w->end);
    for (int64_t r = w->end - 1; r >= w->begin; r--) {
        if (args->causal) add_queries(w, r, r + 1);
        add_feature_gradient(w, args->value + values_at(w, r), 1,
                             args->key_gradient + r * w->wide + w->head * w->features);
        read_state(w, features_of(w, args->key, r), 1, true, args->value_gradient + values_at(w, r));
    }
}

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    for (int64_t item = begin; item < end; item++) {
        const work w = work_of(context, item, thread);
        read_head(&w);
    }
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    for (int64_t item = begin; item < end; item++) {
        const work w = work_of(context, item, thread);
        spread_to_queries(&w);
        spread_to_keys(&w);
    }
}

gw_status GW_KERNEL(linear_attention)(const gw_linear_attention_args *args) {
    gw_parallel_for(args->sequences * args->heads, 1, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(linear_attention_backward)(const gw_linear_attention_args *args) {
    gw_parallel_for(args->sequences * args->heads, 1, backward, (void *)args);
    return GW_OK;
}
