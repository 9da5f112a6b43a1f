// SPDX-License-Identifier: MIT
// Attention over graphs of tokens, edge by edge: what a query reads is gathered from where it lies, so that time is
// that of the edges. A vector of edges is scored at once; the softmax is an online one over pieces of a row.
//
// The backward pass goes through a head of a sequence query by query and adds to the gradients of the keys that it
// reads: no graph of the other direction is needed, and sums run in an order that no thread count changes. Where a head
// reads a large share of all pairs its edges are bits, and it goes through blocks of queries and keys, all pairs of
// which are computed.
#include "base/parallel.h"
#include "kernels/cpu/isa/attention_tile.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/row_sums.h"
#include "kernels/cpu/isa/vmath.h"

// Edges whose scores are kept at a time, and queries that a thread takes.
enum { PIECE = 256, QUERIES = 64 };

// A head of a sequence.
typedef struct {
    const gw_token_attention_args *args;
    const gw_token_sequence *sequence;
    const gw_token_graph *graph;
    int64_t query, key;                       // offsets of its first row in queries and keys
    int64_t query_membership, key_membership; // and in memberships
    int64_t membership_stride, log_sum;
    int head;
} part;

static part part_of(const gw_token_attention_args *args, int64_t item) {
    const gw_token_sequence *sequence = &args->sequence[item / args->heads];
    const int64_t head = item % args->heads, clusters = args->clusters, stride = args->heads * clusters;
    return (part){.args = args,
                  .sequence = sequence,
                  .graph = &sequence->graph[head],
                  .query = sequence->query_begin * args->stride + head * args->head_size,
                  .key = sequence->key_begin * args->stride + head * args->head_size,
                  .query_membership = sequence->query_begin * stride + head * clusters,
                  .key_membership = sequence->key_begin * stride + head * clusters,
                  .membership_stride = stride,
                  .log_sum = head * args->query_rows + sequence->query_begin,
                  .head = (int)head};
}

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
static void read_piece(const part *p, const float *query, int64_t begin, int64_t end, float *out, softmax *so_far) {
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

static void read_row(const part *p, int64_t i) {
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
        const part p = part_of(args, item / parts);
        const int64_t first = item % parts * QUERIES, last = first + QUERIES;
        for (int64_t i = first; i < last && i < p.graph->queries; i++) read_row(&p, i);
    }
}

// What the backward pass knows of a query.
typedef struct {
    int64_t i;
    const float *query, *out_gradient;
    float *query_gradient;
    float delta, log_sum, price; // price: of an edge
} asked;

// Edges e .. e + count - 1, at most a vector of them: gradients of query, keys and values.
GW_INLINE gw_f32v spread_edges(const part *p, const asked *a, int64_t e, int64_t count) {
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
GW_INLINE void teach_edges(const part *p, const asked *a, int64_t e, int64_t count, gw_f32v gradient) {
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

static asked asked_of(const part *p, int64_t i) {
    const gw_token_attention_args *args = p->args;
    const int64_t row = p->query + i * args->stride;
    return (asked){.i = i,
                   .query = args->query + row,
                   .out_gradient = args->out_gradient + row,
                   .query_gradient = args->query_gradient + row,
                   .delta = gw_row_product(args->out_gradient + row, args->out + row, args->head_size),
                   .log_sum = args->log_sum[p->log_sum + i],
                   .price = args->penalty / ((float)p->graph->queries * (float)p->graph->keys)};
}

static void spread_row(const part *p, int64_t i) {
    const gw_token_attention_args *args = p->args;
    const int64_t *start = p->graph->row_start;
    const asked a = asked_of(p, i);
    for (int64_t e = start[i]; e < start[i + 1]; e += GW_LANES) {
        const gw_f32v gradient = spread_edges(p, &a, e, start[i + 1] - e);
        if (args->clusters > 0 || p->sequence->edge_gradient) teach_edges(p, &a, e, start[i + 1] - e, gradient);
    }
}

// Tiles [BLOCK][BLOCK] of a block of queries and one of keys: P, scale dz and g of their pairs, 0 where there is no
// edge. Both are of so many tokens, and begin with rows `first_query` and `first_key`.
enum { BLOCK = 64 }; // keys of a word of a query's bits
typedef struct {
    const part *part;
    int64_t first_query, first_key, queries, keys;
    asked asked[BLOCK];
    uint64_t bits[BLOCK]; // each query's edges in this block of keys
    int64_t edge[BLOCK];  // each query's first edge in this block or a later one, where gradients of edges are written
    float read[BLOCK * BLOCK], score_gradient[BLOCK * BLOCK], gradient[BLOCK * BLOCK];
    float turned[BLOCK * BLOCK], work[BLOCK * BLOCK];
} pairs;

static int64_t block_rows(int64_t count, int64_t first) {
    return count - first < BLOCK ? count - first : BLOCK;
}

// tile[i][j] = a_i . b_j, a the queries' rows and b the keys'.
static void multiply_rows(pairs *t, const float *a, const float *b, float *tile) {
    const gw_token_attention_args *args = t->part->args;
    for (int64_t d = 0; d < args->head_size; d += BLOCK) {
        const int64_t depth = block_rows(args->head_size, d);
        gw_tile_put(t->work, BLOCK, b + d, args->stride, t->keys, depth, 1.0f);
        gw_tile_multiply(&(gw_tile_product){.a = a + d,
                                            .row_step = args->stride,
                                            .depth_step = 1,
                                            .b = t->work,
                                            .c = tile,
                                            .stride = BLOCK,
                                            .rows = t->queries,
                                            .depth = depth,
                                            .width = BLOCK,
                                            .add = d > 0});
    }
}

// to[j] += sum over i < count of tile[i][j] from[i], for `rows` rows of `to`, both of `width` numbers.
static void add_products(pairs *t, const float *tile, const float *from, int64_t count, float *to, int64_t rows,
                         int64_t stride, int64_t width) {
    for (int64_t d = 0; d < width; d += BLOCK) {
        const int64_t depth = block_rows(width, d);
        gw_tile_multiply(&(gw_tile_product){.a = from + d,
                                            .row_step = 1,
                                            .depth_step = stride,
                                            .b = tile,
                                            .c = t->work,
                                            .stride = BLOCK,
                                            .rows = depth,
                                            .depth = count,
                                            .width = BLOCK});
        gw_tile_get(to + d, stride, t->work, BLOCK, rows, depth, 1.0f, true);
    }
}

// Bits of the keys of the block that are at most `fixed` tokens from query i.
static uint64_t fixed_bits(const pairs *t, int64_t i) {
    const int64_t fixed = t->part->args->fixed, low = i - fixed - t->first_key, high = i + fixed + 1 - t->first_key;
    if (fixed < 0 || high <= 0 || low >= BLOCK) return 0;
    const uint64_t before = low <= 0 ? 0 : ((uint64_t)1 << low) - 1;
    return (high >= BLOCK ? ~(uint64_t)0 : ((uint64_t)1 << high) - 1) & ~before;
}

// The queries' edges in the block; whether there is one.
static bool take_bits(pairs *t) {
    const gw_token_graph *graph = t->part->graph;
    const int64_t words = gw_bit_words(graph->keys);
    uint64_t any = 0;
    for (int64_t i = 0; i < t->queries; i++)
        any |= t->bits[i] = graph->bits[(t->first_query + i) * words + t->first_key / BLOCK];
    return any != 0;
}

// Of query i: the products in `read` and `score_gradient` become what the tiles hold.
static void weigh_row(pairs *t, int64_t i) {
    const gw_token_attention_args *args = t->part->args;
    const asked *a = &t->asked[i];
    const uint64_t bits = t->bits[i], drawn = bits & ~fixed_bits(t, a->i);
    for (int64_t j = 0; j < BLOCK; j += GW_LANES) {
        const int64_t at = i * BLOCK + j;
        const gw_f32v z = gw_all(args->scale) * gw_load(t->read + at);
        const gw_f32v read = gw_where_set(bits >> j, gw_exp_bounded(z - a->log_sum), gw_all(0.0f)),
                      dz = gw_where_set(bits >> j, read * (gw_load(t->score_gradient + at) - a->delta), gw_all(0.0f));
        gw_store(t->read + at, read);
        gw_store(t->score_gradient + at, gw_all(args->scale) * dz);
        gw_store(t->gradient + at,
                 gw_where_set(drawn >> j, (args->mask_gradient ? dz : dz * z) + a->price, gw_all(0.0f)));
    }
}

static void write_edges(pairs *t, float *edge_gradient) {
    for (int64_t i = 0; i < t->queries; i++)
        for (uint64_t left = t->bits[i]; left != 0; left &= left - 1)
            edge_gradient[t->edge[i]++] = t->gradient[i * BLOCK + __builtin_ctzll(left)];
}

// The gradients of the pairs' memberships; g turned for those of queries.
static void teach_pairs(pairs *t) {
    const part *p = t->part;
    const gw_token_attention_args *args = p->args;
    const int64_t stride = p->membership_stride, clusters = args->clusters,
                  u = p->query_membership + t->first_query * stride, z = p->key_membership + t->first_key * stride;
    if (p->sequence->edge_gradient) write_edges(t, p->sequence->edge_gradient[p->head]);
    if (clusters == 0) return;
    add_products(t, t->gradient, args->query_membership + u, t->queries, args->key_membership_gradient + z, t->keys,
                 stride, clusters);
    gw_tile_put(t->turned, BLOCK, t->gradient, BLOCK, t->queries, t->keys, 1.0f);
    add_products(t, t->turned, args->key_membership + z, t->keys, args->query_membership_gradient + u, t->queries,
                 stride, clusters);
}

static void spread_pairs(pairs *t) {
    const part *p = t->part;
    const gw_token_attention_args *args = p->args;
    const int64_t query = p->query + t->first_query * args->stride, key = p->key + t->first_key * args->stride,
                  size = args->head_size;
    if (!take_bits(t)) return;
    multiply_rows(t, args->query + query, args->key + key, t->read);
    multiply_rows(t, args->out_gradient + query, args->value + key, t->score_gradient);
    for (int64_t i = 0; i < t->queries; i++) weigh_row(t, i);
    add_products(t, t->read, args->out_gradient + query, t->queries, args->value_gradient + key, t->keys, args->stride,
                 size);
    add_products(t, t->score_gradient, args->query + query, t->queries, args->key_gradient + key, t->keys, args->stride,
                 size);
    gw_tile_put(t->turned, BLOCK, t->score_gradient, BLOCK, t->queries, t->keys, 1.0f);
    add_products(t, t->turned, args->key + key, t->keys, args->query_gradient + query, t->queries, args->stride, size);
    teach_pairs(t);
}

static void spread_blocks(const part *p) {
    const gw_token_graph *graph = p->graph;
    pairs t = {.part = p};
    for (t.first_query = 0; t.first_query < graph->queries; t.first_query += BLOCK) {
        t.queries = block_rows(graph->queries, t.first_query);
        for (int64_t i = 0; i < t.queries; i++) {
            t.asked[i] = asked_of(p, t.first_query + i);
            t.edge[i] = graph->row_start[t.first_query + i];
        }
        for (t.first_key = 0; t.first_key < graph->keys; t.first_key += BLOCK) {
            t.keys = block_rows(graph->keys, t.first_key);
            spread_pairs(&t);
        }
    }
}

// to[r] += weight sum over r' of from[r'], for a cluster.
static void spread_mean(const float *from, int64_t from_rows, float *to, int64_t to_rows, int64_t stride,
                        float weight) {
    double sum = 0;
    for (int64_t r = 0; r < from_rows; r++) sum += (double)from[r * stride];
    for (int64_t r = 0; r < to_rows; r++) to[r * stride] += weight * (float)sum;
}

static void price_density(const part *p) {
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
        const part p = part_of(args, item);
        if (p.graph->bits) spread_blocks(&p);
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
