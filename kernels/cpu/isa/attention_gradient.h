// SPDX-License-Identifier: MIT
// The contribution of an edge to attention's backward pass. Keys are the lanes of every tile:
//   z = s q . k;  P = e^(z - log_sum);  dz = P (dout . v - delta);  dq += s dz k;  dk += s dz q;  dv += P dout
// In f32, rows of q and dout are read in place, and the factor s is applied to the keys' tiles and to dk. In bf16 all
// operands are pairs. Pairs of neighbours along the head, for z and dout . v, are made once a call
// (attention_backward.c). Pairs of neighbouring rows, for dk and dv, are made from these, or once a call if products
// need them transposed. P and dz are rounded when they are complete. In bf16 s is applied to q, as in the forward pass,
// so that z is the same, and to the sums of dq.
#ifndef GW_KERNELS_CPU_ISA_ATTENTION_GRADIENT_H
#define GW_KERNELS_CPU_ISA_ATTENTION_GRADIENT_H

#include "kernels/cpu/isa/attention_rows.h"
#include "kernels/cpu/isa/attention_terms.h"

// Tiles of a thread. Tiles with `stride` have keys as lanes; rows of tiles with `width` have the head size, rounded up
// to whole vectors. In bf16, tiles that products read hold pairs, in half of the rows.
typedef struct {
    int64_t stride, width;
    float *key, *value;             // [D][stride] k, v
    float *dkey, *dvalue;           // [D][stride] their gradients
    float *scores, *score_gradient; // [block][stride] z and P; dout . v and dz
    float *key_rows;                // [block][width] k
    float *dquery;                  // [rows of the sequence][width] of the part; its edges begin with key block
    int64_t first_key_block;        // `first_key_block`; rows without an edge of the part are unchanged
    float *dterms;                  // [rows of the sequence][ids] of the part: sums of dz, in the same way; or NULL
    // bf16 only
    float *query_rows, *gradient_rows; // [(block + 1) / 2][width] pairs of rows of q and dout
    float *score_pairs;                // [block][stride / 2] dz as pairs of keys
} gw_gradient_tiles;

GW_INLINE gw_gradient_tiles gw_gradient_position(float *scratch, int64_t block, int64_t head_size) {
    gw_gradient_tiles t = {.stride = gw_attention_width(block), .width = gw_attention_width(head_size)};
    t.key = scratch;
    t.value = t.key + head_size * t.stride;
    t.dkey = t.value + head_size * t.stride;
    t.dvalue = t.dkey + head_size * t.stride;
    t.scores = t.dvalue + head_size * t.stride;
    t.score_gradient = t.scores + block * t.stride;
    t.key_rows = t.score_gradient + block * t.stride;
    t.query_rows = t.key_rows + block * t.width;
    t.gradient_rows = t.query_rows + (block + 1) / 2 * t.width;
    t.score_pairs = t.gradient_rows + (block + 1) / 2 * t.width;
    return t;
}

// The factor s on the keys' tiles and dk; 1 if it is applied to q and dq.
GW_INLINE float gw_key_scale(const gw_attention_args *args) {
    return gw_has_pairs(args) ? 1.0f : args->scale;
}

GW_INLINE float gw_query_scale(const gw_attention_args *args) {
    return gw_has_pairs(args) ? args->scale : 1.0f;
}

// Rows of q or dout as operands of products: numbers, or pairs along the head.
typedef gw_prefetch gw_query_rows;

// The rows of q and, with `gradient`, of dout in the workspace's pairs: [H][query_rows][pairs of D] each.
GW_INLINE float *gw_query_pairs(const gw_attention_args *args, int64_t head, int64_t row, bool gradient) {
    const int64_t at = ((gradient ? args->heads : 0) + head) * args->query_rows + row;
    return gw_attention_workspace_of(args)->pairs + at * ((args->head_size + 1) / 2);
}

// A block of b queries, transposed, behind these: [H][query_rows][D] each; the first half is [D][b / 2].
GW_INLINE float *gw_query_turned(const gw_attention_args *args, int64_t head, int64_t row, bool gradient) {
    const int64_t at = ((gradient ? args->heads : 0) + head) * args->query_rows + row;
    return gw_query_pairs(args, 2 * args->heads, 0, false) + at * args->head_size;
}

GW_INLINE gw_query_rows gw_queries_of(const gw_attention_args *args, const gw_edge *edge, int64_t block,
                                      bool gradient) {
    const int64_t row = edge->sequence->query_begin + block * edge->graph->block;
    const int64_t queries = gw_block_rows(edge->sequence->query_count, edge->graph->block, block);
    const int64_t pairs = (args->head_size + 1) / 2;
    if (gw_has_pairs(args))
        return (gw_query_rows){gw_query_pairs(args, edge->head, row, gradient), pairs, queries, pairs};
    return gw_head_prefetch(args, gradient ? args->out_gradient : args->query,
                            gradient ? args->out_stride : args->query_stride, row, queries, edge->head);
}

// The edge's queries or gradients, transposed: a row for each number of the head.
GW_INLINE gw_query_rows gw_turned_queries(const gw_attention_args *args, const gw_edge *edge, bool gradient) {
    const int64_t row = edge->sequence->query_begin + edge->query_block * edge->graph->block;
    const int64_t pairs = (edge->queries + 1) / 2;
    return (gw_query_rows){gw_query_turned(args, edge->head, row, gradient), pairs, args->head_size, pairs};
}

GW_INLINE float *gw_dquery_rows(const gw_edge *edge, const gw_gradient_tiles *t) {
    return t->dquery + edge->query_block * edge->graph->block * t->width;
}

// Rows to prefetch during the products of an edge, in order. `next` is the query block of the column's next edge; -1
// for the last edge. Then the gradients of its key block are written, and another block follows.
typedef struct {
    gw_prefetch score, score_gradient, dquery, dkey, dvalue;
} gw_gradient_prefetch;

static gw_gradient_prefetch gw_prefetch_for_gradient(const gw_attention_args *args, const gw_edge *edge, int64_t next,
                                                     const gw_gradient_tiles *t) {
    const gw_attention_sequence *sequence = edge->sequence;
    const int64_t block = edge->graph->block;
    gw_gradient_prefetch prefetch = {.score = {gw_dquery_rows(edge, t), t->width, edge->queries, t->width}};
    if (next >= 0) {
        prefetch.dkey = gw_queries_of(args, edge, next, false);
        prefetch.dvalue = gw_queries_of(args, edge, next, true);
        if (gw_has_pairs(args) && gw_pairs.turned) {
            prefetch.score_gradient = gw_turned_queries(args, edge, false);
            prefetch.dquery = gw_turned_queries(args, edge, true);
        }
        return prefetch;
    }
    const int64_t row = sequence->key_begin + edge->key_block * block, after = row + block;
    const int64_t keys = gw_block_rows(sequence->key_count, block, edge->key_block + 1);
    prefetch.score_gradient = gw_head_prefetch(args, args->key_gradient, args->key_stride, row, edge->keys, edge->head);
    prefetch.dquery = gw_head_prefetch(args, args->value_gradient, args->value_stride, row, edge->keys, edge->head);
    prefetch.dkey = gw_head_prefetch(args, args->key, args->key_stride, after, keys, edge->head);
    prefetch.dvalue = gw_head_prefetch(args, args->value, args->value_stride, after, keys, edge->head);
    return prefetch;
}

GW_INLINE void gw_gradient_multiply(const gw_attention_args *args, const gw_tile_product *product) {
    if (gw_has_pairs(args)) gw_pairs.multiply(product);
    else gw_tile_multiply(product);
}

// tile[r][j] = a_r . b_j over the head size
static void gw_multiply_heads(const gw_attention_args *args, const gw_edge *edge, const gw_query_rows *a,
                              const float *b, float *tile, int64_t stride, gw_prefetch prefetch) {
    gw_gradient_multiply(args, &(gw_tile_product){.a = a->from,
                                                  .row_step = a->step,
                                                  .depth_step = 1,
                                                  .b = b,
                                                  .c = tile,
                                                  .stride = stride,
                                                  .rows = a->rows,
                                                  .depth = a->depth,
                                                  .width = gw_in_lanes(edge->keys),
                                                  .prefetch = prefetch});
}

// sum[d][j] += sum over the queries i of a_i[d] weight[i][j]
static void gw_add_weighted(const gw_attention_args *args, const gw_edge *edge, const gw_query_rows *a,
                            const float *weight, float *sum, int64_t stride, gw_prefetch prefetch) {
    const bool turned = gw_has_pairs(args) && gw_pairs.turned;
    gw_gradient_multiply(args, &(gw_tile_product){.a = a->from,
                                                  .row_step = turned ? a->step : 1,
                                                  .depth_step = turned ? 1 : a->step,
                                                  .b = weight,
                                                  .c = sum,
                                                  .stride = stride,
                                                  .rows = args->head_size,
                                                  .depth = a->rows,
                                                  .width = gw_in_lanes(edge->keys),
                                                  .add = true,
                                                  .prefetch = prefetch});
}

// Whether no earlier edge of the part has written the query block's rows of dq. Columns ascend within a row.
GW_INLINE bool gw_is_first_of_row(const gw_edge *edge, const gw_gradient_tiles *t) {
    const gw_graph *graph = edge->graph;
    return edge->edge == graph->row_start[edge->query_block] || graph->column[edge->edge - 1] < t->first_key_block;
}

// dq[i] (+)= sum over the keys j of a_i[j] k_j. `a` holds numbers or pairs of dz.
static void gw_add_query_gradient(const gw_attention_args *args, const gw_edge *edge, const gw_query_rows *a,
                                  const gw_gradient_tiles *t, gw_prefetch prefetch) {
    gw_gradient_multiply(args, &(gw_tile_product){.a = a->from,
                                                  .row_step = a->step,
                                                  .depth_step = 1,
                                                  .b = t->key_rows,
                                                  .c = gw_dquery_rows(edge, t),
                                                  .stride = t->width,
                                                  .rows = a->rows,
                                                  .depth = a->depth,
                                                  .width = t->width,
                                                  .add = !gw_is_first_of_row(edge, t),
                                                  .prefetch = prefetch});
}

static gw_weights gw_weights_of(const gw_attention_args *args, const gw_edge *edge, const gw_gradient_tiles *t) {
    const int64_t row = edge->sequence->query_begin + edge->query_block * edge->graph->block;
    return (gw_weights){.scores = t->scores,
                        .score_gradient = t->score_gradient,
                        .stride = t->stride,
                        .queries = edge->queries,
                        .keys = edge->keys,
                        .log_sum = args->log_sum + edge->head * args->query_rows + row,
                        .delta = gw_attention_workspace_of(args)->delta + edge->head * args->query_rows + row};
}

// Excludes the lane that is paired with an odd last key. e^z must be 0 there, not e^-log_sum, which may be infinite.
static void gw_exclude_odd_lane(const gw_edge *edge, const gw_gradient_tiles *t) {
    for (int64_t i = 0; i < edge->queries && edge->keys % 2; i++) t->scores[i * t->stride + edge->keys] = -INFINITY;
}

// The pairs of rows of an edge's queries or gradients.
static gw_query_rows gw_pairs_of_rows(const gw_attention_args *args, const gw_edge *edge, const gw_query_rows *pairs,
                                      float *workspace, int64_t width, bool gradient) {
    const int64_t count = (edge->queries + 1) / 2;
    if (gw_pairs.turned)
        return (gw_query_rows){gw_turned_queries(args, edge, gradient).from, count, count, args->head_size};
    gw_pairs.turn(workspace, width, pairs->from, edge->queries, args->head_size);
    return (gw_query_rows){workspace, width, count, args->head_size};
}

static void gw_gradient_edge(const gw_attention_args *args, const gw_edge *edge, int64_t next,
                             const gw_gradient_tiles *t) {
    gw_query_rows query = gw_queries_of(args, edge, edge->query_block, false),
                  gradient = gw_queries_of(args, edge, edge->query_block, true),
                  dz = {t->score_gradient, t->stride, edge->queries, edge->keys};
    const gw_gradient_prefetch prefetch = gw_prefetch_for_gradient(args, edge, next, t);
    gw_multiply_heads(args, edge, &query, t->key, t->scores, t->stride, prefetch.score);
    if (t->dterms) gw_terms_add_by_keys(args, edge, t->scores, t->stride);
    gw_edge_apply(edge, t->scores, t->stride);
    if (gw_has_pairs(args)) gw_exclude_odd_lane(edge, t);
    gw_multiply_heads(args, edge, &gradient, t->value, t->score_gradient, t->stride, prefetch.score_gradient);
    const gw_weights weights = gw_weights_of(args, edge, t);
    if (gw_has_pairs(args)) {
        gw_pairs.weights(&weights, t->score_pairs);
        query = gw_pairs_of_rows(args, edge, &query, t->query_rows, t->width, false);
        gradient = gw_pairs_of_rows(args, edge, &gradient, t->gradient_rows, t->width, true);
        dz = (gw_query_rows){t->score_pairs, t->stride / 2, edge->queries, (edge->keys + 1) / 2};
    } else gw_weights_make(&weights);
    if (t->dterms) gw_terms_sum(args, edge, t->score_gradient, t->stride, t->dterms, gw_is_first_of_row(edge, t));
    gw_add_query_gradient(args, edge, &dz, t, prefetch.dquery);
    gw_add_weighted(args, edge, &query, t->score_gradient, t->dkey, t->stride, prefetch.dkey);
    gw_add_weighted(args, edge, &gradient, t->scores, t->dvalue, t->stride, prefetch.dvalue);
}

#endif
