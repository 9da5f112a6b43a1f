// SPDX-License-Identifier: MIT
// The backward pass of a head with edges as bits (kernel.h, token attention), in blocks of queries and keys. All pairs
// of two blocks are computed; pairs without an edge contribute nothing.
//   dv_j += sum_i P_ij dout_i;  dk_j += sum_i s dz_ij q_i;  dq_i += sum_j s dz_ij k_j
//   dz_j += sum_i g_ij u_i;     du_i += sum_j g_ij z_j      (memberships)
// In bf16 the operands of these products, of z and of dout . v are pairs (attention_pair.h). Rows of queries and keys
// are rounded when they are read, and P, s dz and g when they are complete. The factor s is then applied to q, as in
// the forward pass, so that z is the same. Processors with AMX use vectors here too.
#ifndef GW_KERNELS_CPU_ISA_TOKEN_GRADIENT_H
#define GW_KERNELS_CPU_ISA_TOKEN_GRADIENT_H

#include "kernels/cpu/isa/attention_pair.h"
#include "kernels/cpu/isa/token_part.h"
#include "kernels/cpu/isa/vmath.h"

enum { GW_TOKEN_SIDE = 64 }; // tokens of a block: the keys in a word of a query's bits

// Tiles [GW_TOKEN_SIDE][GW_TOKEN_SIDE] of a block of queries and a block of keys: P, s dz and g of their pairs, 0
// without an edge. The blocks begin with rows `first_query` and `first_key`.
typedef struct {
    const gw_token_part *part;
    bool narrow; // products are bf16
    int64_t first_query, first_key, queries, keys;
    gw_token_asked asked[GW_TOKEN_SIDE];
    uint64_t bits[GW_TOKEN_SIDE]; // each query's edges in this block of keys
    int64_t edge[GW_TOKEN_SIDE];  // [GW_TOKEN_SIDE] each query's first edge in this block or a later one, if gradients
                                  // of edges are written
    float read[GW_TOKEN_SIDE * GW_TOKEN_SIDE], score_gradient[GW_TOKEN_SIDE * GW_TOKEN_SIDE],
        gradient[GW_TOKEN_SIDE * GW_TOKEN_SIDE];
    float one[GW_TOKEN_SIDE * GW_TOKEN_SIDE], lanes[GW_TOKEN_SIDE * GW_TOKEN_SIDE],
        sum[GW_TOKEN_SIDE * GW_TOKEN_SIDE]; // operands of a product and its result
} gw_token_pairs;

GW_INLINE int64_t gw_token_rows(int64_t count, int64_t first) {
    return count - first < GW_TOKEN_SIDE ? count - first : GW_TOKEN_SIDE;
}

static void gw_token_multiply(const gw_token_pairs *t, const gw_tile_product *product) {
    if (t->narrow) gw_pairs.multiply(product);
    else gw_tile_multiply(product);
}

// tile[i][j] = a_i . b_j, with rows a of the queries and b of the keys; in bf16 times the scale.
static void gw_token_multiply_rows(gw_token_pairs *t, const float *a, const float *b, float scale, float *tile) {
    const gw_token_attention_args *args = t->part->args;
    for (int64_t d = 0; d < args->head_size; d += GW_TOKEN_SIDE) {
        const int64_t depth = gw_token_rows(args->head_size, d), pairs = (depth + 1) / 2;
        gw_tile_product product = {.a = a + d,
                                   .row_step = args->stride,
                                   .depth_step = 1,
                                   .b = t->lanes,
                                   .c = tile,
                                   .stride = GW_TOKEN_SIDE,
                                   .rows = t->queries,
                                   .depth = depth,
                                   .width = GW_TOKEN_SIDE,
                                   .add = d > 0};
        gw_tile_put(t->lanes, GW_TOKEN_SIDE, b + d, args->stride, t->keys, depth, 1.0f);
        if (t->narrow) {
            gw_pairs.columns(t->one, a + d, args->stride, t->queries, depth, scale);
            gw_pairs.rows(t->lanes, GW_TOKEN_SIDE, t->lanes, GW_TOKEN_SIDE, depth, GW_TOKEN_SIDE);
            product.a = t->one, product.row_step = product.depth = pairs;
        }
        gw_token_multiply(t, &product);
    }
}

// `count` rows of `width` numbers as the first operand of a product that sums them.
static void gw_token_take_rows(gw_token_pairs *t, const float *from, int64_t stride, int64_t count, int64_t width,
                               gw_tile_product *product) {
    product->a = from, product->row_step = 1, product->depth_step = stride, product->depth = count;
    if (!t->narrow) return;
    gw_pairs.rows(t->one, GW_TOKEN_SIDE, from, stride, count, width);
    product->a = t->one, product->depth_step = GW_TOKEN_SIDE, product->depth = (count + 1) / 2;
}

// to[j] += sum over the queries i of tile[i][j] from[i]; rows of `width` numbers. In bf16 the tile is converted to
// pairs.
static void gw_token_add_to_keys(gw_token_pairs *t, float *tile, const float *from, float *to, int64_t stride,
                                 int64_t width) {
    if (t->narrow) gw_pairs.rows(tile, GW_TOKEN_SIDE, tile, GW_TOKEN_SIDE, t->queries, GW_TOKEN_SIDE);
    for (int64_t d = 0; d < width; d += GW_TOKEN_SIDE) {
        const int64_t depth = gw_token_rows(width, d);
        gw_tile_product product = {
            .b = tile, .c = t->sum, .stride = GW_TOKEN_SIDE, .rows = depth, .width = GW_TOKEN_SIDE};
        gw_token_take_rows(t, from + d, stride, t->queries, depth, &product);
        gw_token_multiply(t, &product);
        gw_tile_get(to + d, stride, t->sum, GW_TOKEN_SIDE, t->keys, depth, 1.0f, true);
    }
}

// to[k] = from[k], padded with 0 to whole vectors.
static void gw_token_copy_rows(float *to, const float *from, int64_t stride, int64_t count, int64_t width) {
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = 0; i < width; i += GW_LANES)
            gw_store(to + k * GW_TOKEN_SIDE + i, gw_load_some(from + k * stride + i, width - i));
}

// to[i] += sum over the keys j of tile[i][j] from[j]; rows of `width` numbers.
static void gw_token_add_to_queries(gw_token_pairs *t, const float *tile, const float *from, float *to, int64_t stride,
                                    int64_t width) {
    gw_tile_product product = {.a = tile,
                               .row_step = GW_TOKEN_SIDE,
                               .depth_step = 1,
                               .b = t->lanes,
                               .c = t->sum,
                               .stride = GW_TOKEN_SIDE,
                               .rows = t->queries,
                               .depth = t->keys};
    if (t->narrow) {
        gw_pairs.columns(t->one, tile, GW_TOKEN_SIDE, t->queries, t->keys, 1.0f);
        product.a = t->one, product.row_step = product.depth = (t->keys + 1) / 2;
    }
    for (int64_t d = 0; d < width; d += GW_TOKEN_SIDE) {
        const int64_t depth = gw_token_rows(width, d);
        if (t->narrow) gw_pairs.rows(t->lanes, GW_TOKEN_SIDE, from + d, stride, t->keys, depth);
        else gw_token_copy_rows(t->lanes, from + d, stride, t->keys, depth);
        product.width = gw_in_lanes(depth);
        gw_token_multiply(t, &product);
        for (int64_t i = 0; i < t->queries; i++)
            gw_add_row(to + i * stride + d, t->sum + i * GW_TOKEN_SIDE, 1.0f, depth);
    }
}

// Bits of the block's keys within `fixed` tokens of query i.
static uint64_t gw_token_fixed_bits(const gw_token_pairs *t, int64_t i) {
    const int64_t fixed = t->part->args->fixed, low = i - fixed - t->first_key, high = i + fixed + 1 - t->first_key;
    if (fixed < 0 || high <= 0 || low >= GW_TOKEN_SIDE) return 0;
    const uint64_t before = low <= 0 ? 0 : ((uint64_t)1 << low) - 1;
    return (high >= GW_TOKEN_SIDE ? ~(uint64_t)0 : ((uint64_t)1 << high) - 1) & ~before;
}

// Reads the queries' edges in the block. Returns whether there is any.
static bool gw_token_take_bits(gw_token_pairs *t) {
    const gw_token_graph *graph = t->part->graph;
    const int64_t words = gw_bit_words(graph->keys);
    uint64_t any = 0;
    for (int64_t i = 0; i < t->queries; i++)
        any |= t->bits[i] = graph->bits[(t->first_query + i) * words + t->first_key / GW_TOKEN_SIDE];
    return any != 0;
}

// For query i: converts the products in `read`, times `scale`, and in `score_gradient` to the final tiles.
static void gw_token_weigh(gw_token_pairs *t, int64_t i, float scale) {
    const gw_token_attention_args *args = t->part->args;
    const gw_token_asked *a = &t->asked[i];
    const uint64_t bits = t->bits[i], drawn = bits & ~gw_token_fixed_bits(t, a->i);
    for (int64_t j = 0; j < GW_TOKEN_SIDE; j += GW_LANES) {
        const int64_t at = i * GW_TOKEN_SIDE + j;
        const gw_f32v z = gw_all(scale) * gw_load(t->read + at);
        const gw_f32v read = gw_where_set(bits >> j, gw_exp_bounded(z - a->log_sum), gw_all(0.0f)),
                      dz = gw_where_set(bits >> j, read * (gw_load(t->score_gradient + at) - a->delta), gw_all(0.0f));
        gw_store(t->read + at, read);
        gw_store(t->score_gradient + at, gw_all(args->scale) * dz);
        gw_store(t->gradient + at,
                 gw_where_set(drawn >> j, (args->mask_gradient ? dz : dz * z) + a->price, gw_all(0.0f)));
    }
}

static void gw_token_write_edges(gw_token_pairs *t, float *edge_gradient) {
    for (int64_t i = 0; i < t->queries; i++)
        for (uint64_t left = t->bits[i]; left != 0; left &= left - 1)
            edge_gradient[t->edge[i]++] = t->gradient[i * GW_TOKEN_SIDE + __builtin_ctzll(left)];
}

// Gradients of the pairs' memberships.
static void gw_token_teach_pairs(gw_token_pairs *t) {
    const gw_token_part *p = t->part;
    const gw_token_attention_args *args = p->args;
    const int64_t stride = p->membership_stride, u = p->query_membership + t->first_query * stride,
                  z = p->key_membership + t->first_key * stride;
    if (p->sequence->edge_gradient) gw_token_write_edges(t, p->sequence->edge_gradient[p->head]);
    if (args->clusters == 0) return;
    gw_token_add_to_queries(t, t->gradient, args->key_membership + z, args->query_membership_gradient + u, stride,
                            args->clusters);
    gw_token_add_to_keys(t, t->gradient, args->query_membership + u, args->key_membership_gradient + z, stride,
                         args->clusters);
}

static void gw_token_spread_pairs(gw_token_pairs *t) {
    const gw_token_part *p = t->part;
    const gw_token_attention_args *args = p->args;
    const int64_t query = p->query + t->first_query * args->stride, key = p->key + t->first_key * args->stride,
                  size = args->head_size;
    if (!gw_token_take_bits(t)) return;
    gw_token_multiply_rows(t, args->query + query, args->key + key, args->scale, t->read);
    gw_token_multiply_rows(t, args->out_gradient + query, args->value + key, 1.0f, t->score_gradient);
    for (int64_t i = 0; i < t->queries; i++) gw_token_weigh(t, i, t->narrow ? 1.0f : args->scale);
    gw_token_add_to_queries(t, t->score_gradient, args->key + key, args->query_gradient + query, args->stride, size);
    gw_token_add_to_keys(t, t->score_gradient, args->query + query, args->key_gradient + key, args->stride, size);
    gw_token_add_to_keys(t, t->read, args->out_gradient + query, args->value_gradient + key, args->stride, size);
    gw_token_teach_pairs(t);
}

static void gw_token_spread_blocks(const gw_token_part *p) {
    const gw_token_graph *graph = p->graph;
    gw_token_pairs t = {.part = p, .narrow = p->args->precision == GW_BF16 && gw_pairs.multiply};
    for (t.first_query = 0; t.first_query < graph->queries; t.first_query += GW_TOKEN_SIDE) {
        t.queries = gw_token_rows(graph->queries, t.first_query);
        for (int64_t i = 0; i < t.queries; i++) {
            t.asked[i] = gw_token_asked_of(p, t.first_query + i);
            t.edge[i] = graph->row_start[t.first_query + i];
        }
        for (t.first_key = 0; t.first_key < graph->keys; t.first_key += GW_TOKEN_SIDE) {
            t.keys = gw_token_rows(graph->keys, t.first_key);
            gw_token_spread_pairs(&t);
        }
    }
}

#endif
