// SPDX-License-Identifier: MIT
// Terms of relative attention: additions to scores that depend on the position of a key relative to its query, and
// their gradients.
//   term_ij = scale (q_i . E_g[id_ij] + b_g[id_ij])
// Terms of all ids are computed once, for a block of queries in the forward pass and for each query in the backward
// pass, as a product beside that of the keys. Edges only select them. Ids along a row of a tile form few runs: distant
// keys on either side have one id, near keys count up or down, and ids of tokens of the other kind change at segment
// borders.
#ifndef GW_KERNELS_CPU_ISA_ATTENTION_TERMS_H
#define GW_KERNELS_CPU_ISA_ATTENTION_TERMS_H

#include "kernels/cpu/isa/attention_edge.h"
#include "kernels/cpu/isa/attention_tile.h"
#include "kernels/cpu/isa/row_sums.h"

// Lanes [begin, end) of a row of a tile: lane l has id + step (l - begin).
typedef struct {
    int64_t begin, end, id;
    int step;
} gw_terms_run;

// The tokens of a tile, counted from the sequence's first token: `row` is that of row 0, `lane` that of lane 0.
typedef struct {
    int64_t row, lane, lanes;
    bool lanes_are_queries;
    int64_t globals, distance;
    const int32_t *segment_begin, *segment_end; // of the sequence's rows
    const int32_t *linked;                      // of the sequence's rows; or NULL
} gw_terms_tile;

GW_INLINE const gw_relative_attention_args *gw_relative_of(const gw_attention_args *args) {
    return gw_attention_workspace_of(args)->relative;
}

GW_INLINE gw_terms_tile gw_terms_tile_of(const gw_attention_args *args, const gw_edge *edge) {
    const gw_relative_attention_args *relative = gw_relative_of(args);
    const int64_t first_query = edge->query_block * edge->graph->block,
                  first_key = edge->key_block * edge->graph->block;
    const bool by_queries = edge->lanes_are_queries;
    return (gw_terms_tile){.row = by_queries ? first_key : first_query,
                           .lane = by_queries ? first_query : first_key,
                           .lanes = by_queries ? edge->queries : edge->keys,
                           .lanes_are_queries = by_queries,
                           .globals = relative->globals[edge->sequence - args->sequence],
                           .distance = relative->distance,
                           .segment_begin = relative->segment_begin + edge->sequence->query_begin,
                           .segment_end = relative->segment_end + edge->sequence->query_begin,
                           .linked = relative->linked ? relative->linked + edge->sequence->query_begin : NULL};
}

GW_INLINE int64_t gw_least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// For tokens of one kind, `apart` = lane token - row token at lane `at`. Ids descend towards the row's token on one
// side and ascend on the other. Keys behind the query have ids 0 .. d, keys before it d + 1 .. 2d.
GW_INLINE gw_terms_run gw_terms_of_distance(const gw_terms_tile *t, int64_t at, int64_t apart, int64_t end) {
    const int64_t d = t->distance;
    if (t->lanes_are_queries) { // key - query = -apart
        if (d == 0) return (gw_terms_run){at, end, 0, 0};
        if (apart <= -d) return (gw_terms_run){at, gw_least(end, at - d - apart + 1), d, 0};
        if (apart <= 0) return (gw_terms_run){at, gw_least(end, at - apart + 1), -apart, -1};
        if (apart < d) return (gw_terms_run){at, gw_least(end, at + d - apart), d + apart, 1};
        return (gw_terms_run){at, end, 2 * d, 0};
    }
    if (d == 0) return (gw_terms_run){at, end, 0, 0};
    if (apart <= -d) return (gw_terms_run){at, gw_least(end, at - d - apart + 1), 2 * d, 0};
    if (apart < 0) return (gw_terms_run){at, gw_least(end, at - apart), d - apart, -1};
    if (apart < d) return (gw_terms_run){at, gw_least(end, at + d - apart), apart, 1};
    return (gw_terms_run){at, end, d, 0};
}

// The id of a global and a long token.
GW_INLINE int64_t gw_terms_of_segment(const gw_terms_tile *t, int64_t global, int64_t other) {
    const int64_t begin = t->segment_begin[global], end = t->segment_end[global];
    if (t->linked && t->linked[other] == global) return 2 * t->distance + 2;
    return begin < 0 ? 2 * t->distance + 3 : 2 * t->distance + 1 + (begin <= other && other < end);
}

// For a global row and long lanes: at most three runs if no lane is linked.
GW_INLINE gw_terms_run gw_terms_in_segment(const gw_terms_tile *t, int64_t at, int64_t global, int64_t end) {
    const int64_t begin_lane = t->segment_begin[global] - t->lane, end_lane = t->segment_end[global] - t->lane;
    const int64_t id = gw_terms_of_segment(t, global, t->lane + at);
    if (t->linked) {
        gw_terms_run run = {at, at + 1, id, 0};
        while (run.end < end && gw_terms_of_segment(t, global, t->lane + run.end) == id) run.end++;
        return run;
    }
    if (t->segment_begin[global] < 0 || at >= end_lane) return (gw_terms_run){at, end, id, 0};
    return (gw_terms_run){at, gw_least(end, at < begin_lane ? begin_lane : end_lane), id, 0};
}

// For a long row and global lanes: the lanes with the same id.
GW_INLINE gw_terms_run gw_terms_of_globals(const gw_terms_tile *t, int64_t at, int64_t other, int64_t end) {
    gw_terms_run run = {at, at + 1, gw_terms_of_segment(t, t->lane + at, other), 0};
    while (run.end < end && gw_terms_of_segment(t, t->lane + run.end, other) == run.id) run.end++;
    return run;
}

// The run that begins with lane `at` of a row.
GW_INLINE gw_terms_run gw_terms_next(const gw_terms_tile *t, int64_t row, int64_t at) {
    const int64_t token = t->row + row, other = t->lane + at;
    const bool global = other < t->globals;
    const int64_t end = global ? gw_least(t->lanes, t->globals - t->lane) : t->lanes;
    if (global == (token < t->globals)) return gw_terms_of_distance(t, at, other - token, end);
    return global ? gw_terms_of_globals(t, at, token, end) : gw_terms_in_segment(t, at, token, end);
}

// The head's part of a table's first row: for long queries (0) or global queries (1).
GW_INLINE int64_t gw_terms_table(const gw_attention_args *args, int global, int head) {
    return (global * gw_relative_of(args)->ids * args->heads + head) * args->head_size;
}

GW_INLINE float gw_terms_bias(const gw_attention_args *args, int global, int head, int64_t id) {
    const gw_relative_attention_args *relative = gw_relative_of(args);
    return args->scale * relative->bias[(global * relative->ids + id) * args->heads + head];
}

// Forward: terms[id][i] for the queries i of a block. The query tile is already scaled.
GW_INLINE void gw_terms_of_kind(const gw_attention_args *args, int global, int head, const float *query, int64_t stride,
                                float *terms) {
    const gw_relative_attention_args *relative = gw_relative_of(args);
    for (int64_t id = 0; id < relative->ids; id++)
        for (int64_t i = 0; i < stride; i++) terms[id * stride + i] = gw_terms_bias(args, global, head, id);
    gw_tile_multiply(&(gw_tile_product){.a = relative->embedding + gw_terms_table(args, global, head),
                                        .row_step = (int64_t)args->heads * args->head_size,
                                        .depth_step = 1,
                                        .b = query,
                                        .c = terms,
                                        .stride = stride,
                                        .rows = relative->ids,
                                        .depth = args->head_size,
                                        .width = stride,
                                        .add = true});
}

static __attribute__((noinline, unused)) void gw_terms_of_queries(const gw_attention_args *args, const gw_edge *edge,
                                                                  const float *query, int64_t stride, float *terms) {
    const gw_relative_attention_args *relative = gw_relative_of(args);
    const int64_t globals = relative->globals[edge->sequence - args->sequence] - edge->query_block * edge->graph->block;
    float *more = terms + gw_attention_ids(relative) * stride;
    if (globals < edge->queries) gw_terms_of_kind(args, 0, edge->head, query, stride, terms);
    if (globals <= 0) return;
    gw_terms_of_kind(args, 1, edge->head, query, stride, more);
    for (int64_t id = 0; id < relative->ids; id++)
        memcpy(terms + id * stride, more + id * stride, (size_t)gw_least(globals, stride) * sizeof *terms);
}

// to[l] += from[l], or += value.
GW_INLINE void gw_lanes_add(float *to, const float *from, int64_t count) {
    for (int64_t l = 0; l < count; l += GW_LANES)
        gw_store_some(to + l, gw_load_some(to + l, count - l) + gw_load_some(from + l, count - l), count - l);
}

GW_INLINE void gw_lanes_add_one(float *to, float value, int64_t count) {
    for (int64_t l = 0; l < count; l += GW_LANES)
        gw_store_some(to + l, gw_load_some(to + l, count - l) + gw_all(value), count - l);
}

// Forward: adds terms to a tile of scores with queries as lanes.
static __attribute__((noinline, unused)) void gw_terms_add_by_queries(const gw_attention_args *args,
                                                                      const gw_edge *edge, const float *terms,
                                                                      float *scores, int64_t stride) {
    const gw_terms_tile tile = gw_terms_tile_of(args, edge);
    for (int64_t row = 0; row < edge->keys; row++, scores += stride)
        for (gw_terms_run run = {0}; run.end < tile.lanes;) {
            run = gw_terms_next(&tile, row, run.end);
            const float *from = terms + run.id * stride;
            if (run.step == 0) gw_lanes_add(scores + run.begin, from + run.begin, run.end - run.begin);
            else
                for (int64_t l = run.begin; l < run.end; l++, from += run.step * stride) scores[l] += from[l];
        }
}

// Backward: the terms of a query row, later its sums of dz.
GW_INLINE float *gw_terms_row(const gw_attention_args *args, int head, int64_t row) {
    const gw_attention_workspace *workspace = gw_attention_workspace_of(args);
    return workspace->terms + (head * args->query_rows + row) * gw_attention_ids(workspace->relative);
}

// Backward: scale E with ids as lanes, [2][H][D][ids].
GW_INLINE float *gw_terms_turned(const gw_attention_args *args, int global, int head) {
    const gw_attention_workspace *workspace = gw_attention_workspace_of(args);
    return workspace->tables + (global * args->heads + head) * args->head_size * gw_attention_ids(workspace->relative);
}

static __attribute__((unused)) void gw_terms_turn_tables(const gw_attention_args *args) {
    const gw_relative_attention_args *relative = gw_relative_of(args);
    const int64_t ids = gw_attention_ids(relative);
    for (int global = 0; global < GW_ATTENTION_TABLES; global++)
        for (int head = 0; head < args->heads; head++)
            gw_tile_put(gw_terms_turned(args, global, head), ids,
                        relative->embedding + gw_terms_table(args, global, head), args->heads * args->head_size,
                        relative->ids, args->head_size, args->scale);
}

// Computes terms for rows [begin, end) of one kind, all heads.
static void gw_terms_of_rows_of_kind(const gw_attention_args *args, int global, int64_t begin, int64_t end) {
    const gw_relative_attention_args *relative = gw_relative_of(args);
    const int64_t ids = gw_attention_ids(relative);
    for (int head = 0; head < args->heads && begin < end; head++) {
        float *terms = gw_terms_row(args, head, begin);
        for (int64_t i = 0; i < end - begin; i++)
            for (int64_t id = 0; id < ids; id++)
                terms[i * ids + id] = id < relative->ids ? gw_terms_bias(args, global, head, id) : 0.0f;
        gw_tile_multiply(
            &(gw_tile_product){.a = args->query + begin * args->query_stride + (int64_t)head * args->head_size,
                               .row_step = args->query_stride,
                               .depth_step = 1,
                               .b = gw_terms_turned(args, global, head),
                               .c = terms,
                               .stride = ids,
                               .rows = end - begin,
                               .depth = args->head_size,
                               .width = ids,
                               .add = true});
    }
}

// Rows [begin, end) of a call: the global rows of sequence s, or its long rows.
typedef struct {
    int64_t begin, end;
} gw_terms_rows;

GW_INLINE gw_terms_rows gw_terms_rows_of(const gw_attention_args *args, int s, int global, int64_t begin, int64_t end) {
    const gw_attention_sequence *sequence = &args->sequence[s];
    const int64_t middle = sequence->query_begin + gw_relative_of(args)->globals[s];
    const int64_t first = global ? sequence->query_begin : middle,
                  last = global ? middle : sequence->query_begin + sequence->query_count;
    return (gw_terms_rows){begin > first ? begin : first, gw_least(end, last)};
}

static __attribute__((unused)) void gw_terms_of_rows(const gw_attention_args *args, int64_t begin, int64_t end) {
    for (int s = 0; s < args->sequences; s++)
        for (int global = 0; global < GW_ATTENTION_TABLES; global++) {
            const gw_terms_rows rows = gw_terms_rows_of(args, s, global, begin, end);
            gw_terms_of_rows_of_kind(args, global, rows.begin, rows.end);
        }
}

// Backward: adds terms to a tile of scores with keys as lanes.
static __attribute__((noinline, unused)) void gw_terms_add_by_keys(const gw_attention_args *args, const gw_edge *edge,
                                                                   float *scores, int64_t stride) {
    const gw_terms_tile tile = gw_terms_tile_of(args, edge);
    for (int64_t row = 0; row < edge->queries; row++, scores += stride) {
        const float *terms = gw_terms_row(args, edge->head, edge->sequence->query_begin + tile.row + row);
        for (gw_terms_run run = {0}; run.end < tile.lanes;) {
            run = gw_terms_next(&tile, row, run.end);
            const float *from = terms + run.id;
            if (run.step == 0) gw_lanes_add_one(scores + run.begin, *from, run.end - run.begin);
            else if (run.step > 0) gw_lanes_add(scores + run.begin, from, run.end - run.begin);
            else
                for (int64_t l = run.begin; l < run.end; l++, from--) scores[l] += *from;
        }
    }
}

GW_INLINE float gw_terms_total(const float *lanes, int64_t count) {
    gw_f32v sum = gw_all(0.0f);
    for (int64_t l = 0; l < count; l += GW_LANES) sum += gw_load_some(lanes + l, count - l);
    return gw_sum(sum);
}

// Backward: adds dz of an edge (keys as lanes) to the part's sums by id. `first`: no earlier edge of the part has
// written these rows.
static __attribute__((noinline, unused)) void gw_terms_sum(const gw_attention_args *args, const gw_edge *edge,
                                                           const float *dz, int64_t stride, float *sums, bool first) {
    const gw_terms_tile tile = gw_terms_tile_of(args, edge);
    const int64_t ids = gw_attention_ids(gw_relative_of(args));
    float *sum = sums + tile.row * ids;
    if (first) memset(sum, 0, (size_t)(edge->queries * ids) * sizeof *sum);
    for (int64_t row = 0; row < edge->queries; row++, dz += stride, sum += ids)
        for (gw_terms_run run = {0}; run.end < tile.lanes;) {
            run = gw_terms_next(&tile, row, run.end);
            if (run.step == 0) sum[run.id] += gw_terms_total(dz + run.begin, run.end - run.begin);
            else
                for (int64_t l = run.begin; l < run.end; l++) sum[run.id + run.step * (l - run.begin)] += dz[l];
        }
}

// dq_i += scale sum over ids of sum_i[id] E[id], for rows [begin, end) of sequence s and a head.
static __attribute__((unused)) void gw_terms_add_to_queries(const gw_attention_args *args, int s, int head,
                                                            int64_t begin, int64_t end) {
    const gw_relative_attention_args *relative = gw_relative_of(args);
    const int64_t step = (int64_t)args->heads * args->head_size;
    for (int global = 0; global < GW_ATTENTION_TABLES; global++) {
        const gw_terms_rows rows = gw_terms_rows_of(args, s, global, begin, end);
        for (int64_t i = rows.begin; i < rows.end; i++)
            gw_add_rows(args->query_gradient + i * args->query_stride + (int64_t)head * args->head_size,
                        &(gw_weighted_rows){.from = relative->embedding + gw_terms_table(args, global, head),
                                            .step = step,
                                            .count = relative->ids,
                                            .weight = gw_terms_row(args, head, i),
                                            .weight_step = 1,
                                            .scale = args->scale},
                        args->head_size);
    }
}

// Adds rows [begin, end) of one kind to a head's rows of its table, id by id, in groups with queries that fit into the
// cache.
static void gw_terms_add_rows_to_table(const gw_attention_args *args, int global, int head, int64_t begin,
                                       int64_t end) {
    enum { NEAR_ROWS = 64 };
    const gw_relative_attention_args *relative = gw_relative_of(args);
    const int64_t step = (int64_t)args->heads * args->head_size, ids = gw_attention_ids(relative);
    float *embedding = relative->embedding_gradient + gw_terms_table(args, global, head),
          *bias = relative->bias_gradient + global * relative->ids * args->heads + head;
    for (int64_t i = begin, next; i < end; i = next) {
        next = gw_least(i + NEAR_ROWS, end);
        for (int64_t id = 0; id < relative->ids; id++) {
            const float *sums = gw_terms_row(args, head, i) + id;
            gw_add_rows(embedding + id * step,
                        &(gw_weighted_rows){.from = args->query + i * args->query_stride + head * args->head_size,
                                            .step = args->query_stride,
                                            .count = next - i,
                                            .weight = sums,
                                            .weight_step = ids,
                                            .scale = args->scale},
                        args->head_size);
            for (int64_t r = 0; r < next - i; r++) bias[id * args->heads] += args->scale * sums[r * ids];
        }
    }
}

// dE[id] += scale sum over rows of sum_i[id] q_i; db[id] += scale sum over rows of sum_i[id], for a head, in row order.
static __attribute__((unused)) void gw_terms_add_to_tables(const gw_attention_args *args, int head) {
    for (int s = 0; s < args->sequences; s++)
        for (int global = 0; global < GW_ATTENTION_TABLES; global++) {
            const gw_terms_rows rows = gw_terms_rows_of(args, s, global, 0, args->query_rows);
            gw_terms_add_rows_to_table(args, global, head, rows.begin, rows.end);
        }
}

#endif
