// SPDX-License-Identifier: MIT
// Attention over token graphs, edge by edge. The rows that a query reads are gathered from their places, so the time is
// proportional to the edges. A vector of edges is scored at once; the softmax is computed online over pieces of a row.
//
// The backward pass processes a head of a sequence query by query, and adds to the gradients of the keys that the query
// reads. It needs no transposed graph, and the order of sums does not depend on the number of threads. If a head reads
// a large share of all pairs, its edges are bits, and blocks of queries and keys are processed (token_gradient.h).
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/token_gradient.h"

// Edges whose scores are kept at a time, and queries that a thread takes.
enum { PIECE = 256, QUERIES = 64 };

// The rows of `count` columns; beyond, that of the last.
GW_INLINE void find_rows(const float *first, int64_t stride, const int32_t *column, int64_t count,
                         const float *row[GW_LANES]) {
    for (int64_t l = 0; l < GW_LANES; l++) row[l] = first + column[l < count ? l : count - 1] * stride;
}

// Lane l is a . row[l].
GW_INLINE gw_f32v products(const float *a, const float *const row[GW_LANES], int64_t width) {
    gw_f32v sum[GW_LANES] = {{0}};
    int64_t i = 0;
    for (; i + GW_LANES <= width; i += GW_LANES) {
        const gw_f32v v = gw_load(a + i);
        for (int l = 0; l < GW_LANES; l++) sum[l] = gw_fma(v, gw_load(row[l] + i), sum[l]);
    }
    if (i < width) {
        const gw_f32v v = gw_load_part(a + i, width - i);
        for (int l = 0; l < GW_LANES; l++) sum[l] = gw_fma(v, gw_load_part(row[l] + i, width - i), sum[l]);
    }
    gw_transpose(sum);
    for (int l = 1; l < GW_LANES; l++) sum[0] += sum[l];
    return sum[0];
}

// to += sum over l < count of weight[l] row[l]
GW_INLINE void add_rows(float *to, const float *const row[GW_LANES], gw_f32v weight, int64_t count, int64_t width) {
    float each[GW_LANES];
    gw_store(each, weight);
    const int64_t rows = count < GW_LANES ? count : GW_LANES;
    for (int64_t i = 0; i < width; i += GW_LANES) {
        gw_f32v sum = gw_load_some(to + i, width - i);
        for (int64_t l = 0; l < rows; l++) sum = gw_fma(gw_all(each[l]), gw_load_some(row[l] + i, width - i), sum);
        gw_store_some(to + i, sum, width - i);
    }
}

// Lane l, or `other` from lane `count` on.
GW_INLINE gw_f32v first_lanes(gw_f32v v, int64_t count, float other) {
    for (int64_t l = count; l < GW_LANES; l++) v[l] = other;
    return v;
}

typedef struct {
    float largest, sum;
} softmax;

// Adds edges [begin, end), at most PIECE of them, to what a query has read.
static void read_piece(const gw_token_part *p, const float *query, int64_t begin, int64_t end, float *out,
                       softmax *so_far) {
    const gw_token_attention_args *args = p->args;
    const int32_t *column = p->graph->column + begin;
    const int64_t count = end - begin, size = args->head_size;
    const float *row[GW_LANES];
    float score[PIECE + GW_LANES];
    gw_f32v most = gw_all(so_far->largest), sum = gw_all(0.0f);
    for (int64_t e = 0; e < count; e += GW_LANES) {
        find_rows(args->key + p->key, args->stride, column + e, count - e, row);
        const gw_f32v z = first_lanes(gw_all(args->scale) * products(query, row, size), count - e, -INFINITY);
        gw_store(score + e, z);
        most = gw_max(most, z);
    }
    const float largest = gw_largest(most);
    const float shrink = so_far->largest == -INFINITY ? 0 : expf(so_far->largest - largest);
    for (int64_t i = 0; i < size && shrink != 1; i++) out[i] *= shrink;
    for (int64_t e = 0; e < count; e += GW_LANES) {
        const gw_f32v weight = gw_exp_bounded(gw_load(score + e) - largest);
        find_rows(args->value + p->key, args->stride, column + e, count - e, row);
        sum += first_lanes(weight, count - e, 0);
        add_rows(out, row, weight, count - e, size);
    }
    *so_far = (softmax){largest, so_far->sum * shrink + gw_sum(sum)};
}

static void read_row(const gw_token_part *p, int64_t i) {
    const gw_token_attention_args *args = p->args;
    const int64_t *start = p->graph->row_start, size = args->head_size;
    float *out = args->out + p->query + i * args->stride;
    softmax all = {-INFINITY, 0};
    for (int64_t d = 0; d < size; d++) out[d] = 0;
    for (int64_t e = start[i]; e < start[i + 1]; e += PIECE)
        read_piece(p, args->query + p->query + i * args->stride, e, e + PIECE < start[i + 1] ? e + PIECE : start[i + 1],
                   out, &all);
    for (int64_t d = 0; d < size && all.sum > 0; d++) out[d] /= all.sum;
    args->log_sum[p->log_sum + i] = all.largest + logf(all.sum);
}

static int64_t most_queries(const gw_token_attention_args *args) {
    int64_t most = 0;
    for (int s = 0; s < args->sequences; s++)
        if (args->sequence[s].graph[0].queries > most) most = args->sequence[s].graph[0].queries;
    return most;
}

static void read_parts(void *context, int64_t begin, int64_t end, int thread) {
    const gw_token_attention_args *args = context;
    const int64_t parts = (most_queries(args) + QUERIES - 1) / QUERIES;
    (void)thread;
    for (int64_t item = begin; item < end; item++) {
        const gw_token_part p = gw_token_part_of(args, item / parts);
        const int64_t first = item % parts * QUERIES, last = first + QUERIES;
        for (int64_t i = first; i < last && i < p.graph->queries; i++) read_row(&p, i);
    }
}

// Edges e .. e + count - 1, at most a vector of them: gradients of query, keys and values.
GW_INLINE gw_f32v spread_edges(const gw_token_part *p, const gw_token_asked *a, int64_t e, int64_t count) {
    const gw_token_attention_args *args = p->args;
    const int32_t *column = p->graph->column + e;
    const int64_t size = args->head_size;
    const float *key[GW_LANES], *value[GW_LANES];
    float weight[GW_LANES], score_gradient[GW_LANES];
    find_rows(args->key + p->key, args->stride, column, count, key);
    find_rows(args->value + p->key, args->stride, column, count, value);
    const gw_f32v z = gw_all(args->scale) * products(a->query, key, size);
    const gw_f32v read = gw_exp_bounded(z - a->log_sum),
                  dz = read * (products(a->out_gradient, value, size) - a->delta);
    gw_store(weight, read);
    gw_store(score_gradient, gw_all(args->scale) * dz);
    add_rows(a->query_gradient, key, gw_all(args->scale) * dz, count, size);
    for (int64_t l = 0; l < count && l < GW_LANES; l++) {
        const int64_t at = p->key + column[l] * args->stride;
        gw_add_row(args->key_gradient + at, a->query, score_gradient[l], size);
        gw_add_row(args->value_gradient + at, a->out_gradient, weight[l], size);
    }
    return args->mask_gradient ? dz : dz * z;
}

// The gradients of their probabilities, to the memberships.
GW_INLINE void teach_edges(const gw_token_part *p, const gw_token_asked *a, int64_t e, int64_t count,
                           gw_f32v gradient) {
    const gw_token_attention_args *args = p->args;
    const int32_t *column = p->graph->column + e;
    float each[GW_LANES];
    gw_store(each, gradient + a->price);
    for (int64_t l = 0; l < count && l < GW_LANES; l++) {
        const int64_t distance = column[l] > a->i ? column[l] - a->i : a->i - column[l];
        if (distance <= args->fixed) each[l] = 0;
        if (p->sequence->edge_gradient) p->sequence->edge_gradient[p->head][e + l] = each[l];
    }
    if (args->clusters == 0) return;
    const float *row[GW_LANES];
    const int64_t u = p->query_membership + a->i * p->membership_stride;
    find_rows(args->key_membership + p->key_membership, p->membership_stride, column, count, row);
    add_rows(args->query_membership_gradient + u, row, gw_load(each), count, args->clusters);
    for (int64_t l = 0; l < count && l < GW_LANES; l++)
        gw_add_row(args->key_membership_gradient + p->key_membership + column[l] * p->membership_stride,
                   args->query_membership + u, each[l], args->clusters);
}

static void spread_row(const gw_token_part *p, int64_t i) {
    const gw_token_attention_args *args = p->args;
    const int64_t *start = p->graph->row_start;
    const gw_token_asked a = gw_token_asked_of(p, i);
    for (int64_t e = start[i]; e < start[i + 1]; e += GW_LANES) {
        const gw_f32v gradient = spread_edges(p, &a, e, start[i + 1] - e);
        if (args->clusters > 0 || p->sequence->edge_gradient) teach_edges(p, &a, e, start[i + 1] - e, gradient);
    }
}

// to[r] += weight sum over r' of from[r'], for a cluster.
static void spread_mean(const float *from, int64_t from_rows, float *to, int64_t to_rows, int64_t stride,
                        float weight) {
    double sum = 0;
    for (int64_t r = 0; r < from_rows; r++) sum += (double)from[r * stride];
    for (int64_t r = 0; r < to_rows; r++) to[r * stride] += weight * (float)sum;
}

static void price_density(const gw_token_part *p) {
    const gw_token_attention_args *args = p->args;
    const int64_t queries = p->graph->queries, keys = p->graph->keys;
    const float price = args->density_penalty / ((float)queries * (float)keys);
    for (int64_t c = 0; c < args->clusters; c++) {
        const int64_t u = p->query_membership + c, z = p->key_membership + c;
        spread_mean(args->key_membership + z, keys, args->query_membership_gradient + u, queries, p->membership_stride,
                    price);
        spread_mean(args->query_membership + u, queries, args->key_membership_gradient + z, keys, p->membership_stride,
                    price);
    }
}

static void spread_parts(void *context, int64_t begin, int64_t end, int thread) {
    const gw_token_attention_args *args = context;
    (void)thread;
    for (int64_t item = begin; item < end; item++) {
        const gw_token_part p = gw_token_part_of(args, item);
        if (p.graph->bits) gw_token_spread_blocks(&p);
        for (int64_t i = 0; i < p.graph->queries && !p.graph->bits; i++) spread_row(&p, i);
        if (args->density_penalty != 0) price_density(&p);
    }
}

gw_status GW_KERNEL(token_attention)(const gw_token_attention_args *args) {
    const int64_t parts = (most_queries(args) + QUERIES - 1) / QUERIES;
    gw_parallel_for(args->sequences * args->heads * parts, 1, read_parts, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(token_attention_backward)(const gw_token_attention_args *args) {
    gw_parallel_for((int64_t)args->sequences * args->heads, 1, spread_parts, (void *)args);
    return GW_OK;
}
