// SPDX-License-Identifier: MIT
// linear_attention and its backward pass. Threads share the heads of all sequences, and sum in order. For a head, a
// thread has the state S[f][d] = sum of key[f] value[d] and Z[f] = sum of key[f], over all rows or, if causal, the rows
// so far. In the backward pass it also has T[f][d] = sum of query[f] a[d] and U[f] = sum of query[f] b over the rows
// that read a key, with a = gradient / (query . Z) and b = -(a . out). The contribution of each row is then
//   query_gradient[f] += S[f] . a + Z[f] b,  key_gradient[f] += T[f] . value + U[f],  value_gradient += key T
// Several rows are processed together, so that all of this is products of matrices. If causal, the state is that of the
// rows before these, or behind them; rows within the group are processed pair by pair.
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/row_sums.h"
#include "kernels/cpu/isa/small_product.h"
#include "kernels/cpu/scratch.h"

#include <float.h>

enum { TOGETHER = GW_LINEAR_ATTENTION_ROWS };

// Of a head of a sequence.
typedef struct {
    const gw_linear_attention_args *args;
    int64_t features, size, width, wide; // width: of rows of values, wide: of rows of features
    int64_t head, begin, end;            // rows
    float *state, *sum;                  // S or T, Z or U
    float *turned;                       // the state, [size][features]
    float *share;                        // a of the rows together, [TOGETHER][size]
    float *shift;                        // b of these
    float *pair;                         // [TOGETHER][TOGETHER] what one of them has of another
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
    w.turned = w.sum + w.features;
    w.share = w.turned + w.features * w.size;
    w.shift = w.share + TOGETHER * w.size;
    w.pair = w.shift + TOGETHER;
    return w;
}

static int64_t features_at(const work *w, int64_t row) {
    return row * w->wide + w->head * w->features;
}

static int64_t values_at(const work *w, int64_t row) {
    return row * w->width + w->head * w->size;
}

static int64_t together(int64_t left) {
    return left < TOGETHER ? left : TOGETHER;
}

// --- the state -----------------------------------------------------------------------------------------------------

static void clear(const work *w) {
    for (int64_t i = 0; i < w->features * (w->size + 1); i++) w->state[i] = 0;
}

static void turn(const work *w) {
    gw_turn(w->features, w->size, w->state, w->size, w->turned);
}

// state[f][d] += sum over the rows of left[f] right[d], sum[f] += that of left[f] weight; weight NULL: 1
static void add_products(const work *w, const float *left, const float *right, int64_t stride, const float *weight,
                         int64_t rows) {
    gw_small_product(w->features, w->size, rows, (gw_left){left, 1, w->wide}, (gw_right){right, stride}, 1,
                     (gw_result){w->state, w->size, true});
    for (int64_t r = 0; r < rows; r++) gw_add_row(w->sum, left + r * w->wide, weight ? weight[r] : 1, w->features);
}

static void add_keys(const work *w, int64_t row, int64_t rows) {
    add_products(w, w->args->key + features_at(w, row), w->args->value + values_at(w, row), w->width, NULL, rows);
}

static void add_queries(const work *w, int64_t row, int64_t rows) {
    add_products(w, w->args->query + features_at(w, row), w->share, w->size, w->shift, rows);
}

// A sum of 0 is one of features that all vanish: the row reads nothing then.
static float inverse(float sum) {
    return sum < FLT_MIN ? 0 : 1 / sum;
}

// a and b of the rows.
static void share_rows(const work *w, int64_t row, int64_t rows) {
    const gw_linear_attention_args *args = w->args;
    for (int64_t i = 0; i < rows; i++) {
        const float *gradient = args->out_gradient + values_at(w, row + i);
        const float factor = inverse(args->sum[(row + i) * args->heads + w->head]);
        float *share = w->share + i * w->size;
        for (int64_t d = 0; d < w->size; d++) share[d] = factor * gradient[d];
        w->shift[i] = -gw_row_product(share, args->out + values_at(w, row + i), w->size);
    }
}

static void add_all_keys(const work *w) {
    for (int64_t r = w->begin; r < w->end; r += TOGETHER) add_keys(w, r, together(w->end - r));
}

static void add_all_queries(const work *w) {
    for (int64_t r = w->begin; r < w->end; r += TOGETHER) {
        share_rows(w, r, together(w->end - r));
        add_queries(w, r, together(w->end - r));
    }
}

// --- rows that are taken together ----------------------------------------------------------------------------------

// P[i][j], j <= i: vector i of `of` times vector j of `by`, their vectors `step` apart, and weight[i] (NULL: 0).
typedef struct {
    const float *of;
    int64_t of_step;
    const float *by;
    int64_t by_step, width;
    const float *weight;
} pairs;

static void make_pairs(const work *w, const pairs *p, int64_t rows) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < rows; j++)
            w->pair[i * rows + j] = j > i ? 0
                                          : gw_row_product(p->of + i * p->of_step, p->by + j * p->by_step, p->width) +
                                                (p->weight ? p->weight[i] : 0);
}

// to += P from, or P^T from: row i of what is read, or that reads row i
static void add_pairs(const work *w, int64_t rows, bool turned, const float *from, int64_t from_step, float *to,
                      int64_t to_step, int64_t width) {
    const gw_left pair = {w->pair, turned ? 1 : rows, turned ? rows : 1};
    gw_small_product(rows, width, rows, pair, (gw_right){from, from_step}, 1, (gw_result){to, to_step, true});
}

// to += rows of the state, and their weights times its sums
static void add_features(const work *w, const float *rows_at, int64_t step, const float *weight, int64_t rows,
                         float *to) {
    gw_small_product(rows, w->features, w->size, (gw_left){rows_at, step, 1}, (gw_right){w->turned, w->features}, 1,
                     (gw_result){to, w->wide, true});
    for (int64_t i = 0; i < rows; i++) gw_add_row(to + i * w->wide, w->sum, weight ? weight[i] : 1, w->features);
}

static void read_rows(const work *w, int64_t row, int64_t rows) {
    const gw_linear_attention_args *args = w->args;
    const float *query = args->query + features_at(w, row), *value = args->value + values_at(w, row);
    float *out = args->out + values_at(w, row);
    gw_small_product(rows, w->size, w->features, (gw_left){query, w->wide, 1}, (gw_right){w->state, w->size}, 1,
                     (gw_result){out, w->width, false});
    if (args->causal) {
        make_pairs(w, &(pairs){query, w->wide, args->key + features_at(w, row), w->wide, w->features, NULL}, rows);
        add_pairs(w, rows, false, value, w->width, out, w->width, w->size);
    }
    for (int64_t i = 0; i < rows; i++) {
        float sum = gw_row_product(query + i * w->wide, w->sum, w->features);
        for (int64_t j = 0; args->causal && j <= i; j++) sum += w->pair[i * rows + j];
        args->sum[(row + i) * args->heads + w->head] = sum;
        for (int64_t d = 0; d < w->size; d++) out[i * w->width + d] *= inverse(sum);
    }
}

static void read_head(const work *w) {
    clear(w);
    if (!w->args->causal) add_all_keys(w);
    for (int64_t r = w->begin; r < w->end; r += TOGETHER) {
        read_rows(w, r, together(w->end - r));
        if (w->args->causal) add_keys(w, r, together(w->end - r));
    }
}

// What rows have of each other: P[i][j] = a_i . value_j + b_i of the queries i and the keys j that they read.
static void make_gradient_pairs(const work *w, int64_t row, int64_t rows) {
    make_pairs(w, &(pairs){w->share, w->size, w->args->value + values_at(w, row), w->width, w->size, w->shift}, rows);
}

static void spread_to_queries(const work *w) {
    const gw_linear_attention_args *args = w->args;
    clear(w);
    if (!args->causal) add_all_keys(w);
    turn(w);
    for (int64_t r = w->begin; r < w->end; r += TOGETHER) {
        const int64_t rows = together(w->end - r);
        float *gradient = args->query_gradient + features_at(w, r);
        share_rows(w, r, rows);
        add_features(w, w->share, w->size, w->shift, rows, gradient);
        if (!args->causal) continue;
        make_gradient_pairs(w, r, rows);
        add_pairs(w, rows, false, args->key + features_at(w, r), w->wide, gradient, w->wide, w->features);
        add_keys(w, r, rows);
        turn(w);
    }
}

static void spread_among_keys(const work *w, int64_t row, int64_t rows) {
    const gw_linear_attention_args *args = w->args;
    const float *query = args->query + features_at(w, row), *key = args->key + features_at(w, row);
    share_rows(w, row, rows);
    make_gradient_pairs(w, row, rows);
    add_pairs(w, rows, true, query, w->wide, args->key_gradient + features_at(w, row), w->wide, w->features);
    make_pairs(w, &(pairs){query, w->wide, key, w->wide, w->features, NULL}, rows);
    add_pairs(w, rows, true, w->share, w->size, args->value_gradient + values_at(w, row), w->width, w->size);
    add_queries(w, row, rows);
    turn(w);
}

static void spread_to_keys(const work *w) {
    const gw_linear_attention_args *args = w->args;
    clear(w);
    if (!args->causal) add_all_queries(w);
    turn(w);
    for (int64_t left = w->end - w->begin; left > 0; left -= together(left)) {
        const int64_t rows = together(left), r = w->begin + left - rows;
        add_features(w, args->value + values_at(w, r), w->width, NULL, rows, args->key_gradient + features_at(w, r));
        gw_small_product(rows, w->size, w->features, (gw_left){args->key + features_at(w, r), w->wide, 1},
                         (gw_right){w->state, w->size}, 1,
                         (gw_result){args->value_gradient + values_at(w, r), w->width, true});
        if (args->causal) spread_among_keys(w, r, rows);
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
