// SPDX-License-Identifier: MIT
// Block-graph attention, backward. With z recomputed, P = e^(z - log_sum), delta_i = dout_i . out_i:
//   dz_ij = P_ij (dout_i . v_j - delta_i);   dq_i += scale sum_j dz_ij k_j;   dk_j += scale sum_i dz_ij q_i;
//   dv_j += sum_i P_ij dout_i;   dbias += dz
// One pass by blocks of keys over the transposed graph: a block's dk and dv are sums in tiles of its own, and its
// shares of dq are added to rows that belong to its part of the head alone. The parts of a head, a number that depends
// on the shape only, are added up at the end, always in the same order.
#include "base/parallel.h"
#include "kernels/attention_parts.h"
#include "kernels/attention_work.h"
#include "kernels/cpu/attention_rows.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/vmath.h"

#include <string.h>

enum { ROW_GRAIN = 64 };

typedef struct {
    const gw_attention_args *args;
    gw_attention_parts parts;
} backward_run;

// A thread's tiles. Lanes of those with `stride` are keys; rows of `key_rows` and of a part's dq have `width` numbers,
// the head size in whole vectors.
typedef struct {
    int64_t stride, width;
    float *key, *value;             // [D][stride] scale k, v
    float *key_rows;                // [block][width] scale k
    float *dkey, *dvalue;           // [D][stride] dk / scale, dv
    float *scores, *score_gradient; // [block][stride] z and P; dout . v and dz
    float *dquery;                  // [rows of the sequence][width] of the part
} backward_tiles;

static backward_tiles place_tiles(float *scratch, int64_t block, int64_t head_size, float *dquery) {
    backward_tiles t = {.stride = gw_attention_width(block), .width = gw_attention_width(head_size), .dquery = dquery};
    t.key = scratch;
    t.value = t.key + head_size * t.stride;
    t.dkey = t.value + head_size * t.stride;
    t.dvalue = t.dkey + head_size * t.stride;
    t.scores = t.dvalue + head_size * t.stride;
    t.score_gradient = t.scores + block * t.stride;
    t.key_rows = t.score_gradient + block * t.stride;
    return t;
}

static int64_t in_lanes(int64_t count) {
    return (count + GW_LANES - 1) / GW_LANES * GW_LANES;
}

// e^(z - log_sum) is 0 for a query without keys, whose log_sum is -infinity, when +infinity is taken off instead.
static float safe_log_sum(float log_sum) {
    return log_sum == -INFINITY ? INFINITY : log_sum;
}

// tile[r][i] = a_r . b_i over the head size, for `rows` rows of a in place.
static void multiply_heads(const float *a, int64_t a_stride, int64_t rows, const float *b, float *tile, int64_t stride,
                           int64_t width, int64_t head_size, gw_rows_ahead ahead) {
    gw_tile_multiply(&(gw_tile_product){.a = a,
                                        .row_step = a_stride,
                                        .depth_step = 1,
                                        .b = b,
                                        .c = tile,
                                        .stride = stride,
                                        .rows = rows,
                                        .depth = head_size,
                                        .width = width,
                                        .ahead = ahead});
}

// sum[d][i] += sum over `rows` rows r of a_r[d] weight[r][i]
static void add_weighted(const float *a, int64_t a_stride, int64_t rows, const float *weight, float *sum,
                         int64_t stride, int64_t width, int64_t head_size, gw_rows_ahead ahead) {
    gw_tile_multiply(&(gw_tile_product){.a = a,
                                        .row_step = 1,
                                        .depth_step = a_stride,
                                        .b = weight,
                                        .c = sum,
                                        .stride = stride,
                                        .rows = head_size,
                                        .depth = rows,
                                        .width = width,
                                        .add = true,
                                        .ahead = ahead});
}

static void add_bias_gradient(const gw_cell *cell, const backward_tiles *t) {
    float *gradient = cell->sequence->bias_gradient + gw_cell_bias_offset(cell);
    for (int64_t i = 0; i < cell->queries; i++)
        for (int64_t j = 0; j < cell->keys; j++)
            gradient[i * cell->graph->block + j] += t->score_gradient[i * t->stride + j];
}

// z and dout . v become P and dz.
static void make_gradients(const gw_attention_args *args, const gw_cell *cell, int64_t row, const backward_tiles *t) {
    const float *log_sum = args->log_sum + cell->head * args->query_rows + row;
    const float *delta = args->delta + cell->head * args->query_rows + row;
    for (int64_t i = 0; i < cell->queries; i++) {
        const float shift = safe_log_sum(log_sum[i]);
        for (int64_t at = i * t->stride; at < i * t->stride + in_lanes(cell->keys); at += GW_LANES) {
            const gw_f32v p = gw_exp2_bounded((gw_load(t->scores + at) - shift) * GW_LOG2_E);
            gw_store(t->scores + at, p);
            gw_store(t->score_gradient + at, p * (gw_load(t->score_gradient + at) - delta[i]));
        }
    }
}

// The cell's rows of dq.
static float *query_gradient_rows(const gw_cell *cell, const backward_tiles *t) {
    return t->dquery + cell->query_block * cell->graph->block * t->width;
}

// Adds dz k to the rows of dq.
static void add_query_gradient(const gw_cell *cell, const backward_tiles *t, gw_rows_ahead ahead) {
    gw_tile_multiply(&(gw_tile_product){.a = t->score_gradient,
                                        .row_step = t->stride,
                                        .depth_step = 1,
                                        .b = t->key_rows,
                                        .c = query_gradient_rows(cell, t),
                                        .stride = t->width,
                                        .rows = cell->queries,
                                        .depth = cell->keys,
                                        .width = t->width,
                                        .add = true,
                                        .ahead = ahead});
}

// What the products of a cell ask for, in their order. `next` is the query block of the column's next cell; -1 in the
// last one, whose block of keys has its gradients written then, and is followed by another.
typedef struct {
    gw_rows_ahead score, score_gradient, dquery, dkey, dvalue;
} cell_ahead;

static cell_ahead rows_ahead(const gw_attention_args *args, const gw_cell *cell, int64_t next,
                             const backward_tiles *t) {
    const gw_attention_sequence *sequence = cell->sequence;
    const int64_t block = cell->graph->block;
    cell_ahead ahead = {.score = {query_gradient_rows(cell, t), t->width, cell->queries, t->width}};
    if (next >= 0) {
        const int64_t row = sequence->query_begin + next * block;
        const int64_t queries = gw_block_rows(sequence->query_count, block, next);
        ahead.dkey = gw_head_ahead(args, args->query, args->query_stride, row, queries, cell->head);
        ahead.dvalue = gw_head_ahead(args, args->out_gradient, args->out_stride, row, queries, cell->head);
        return ahead;
    }
    const int64_t row = sequence->key_begin + cell->key_block * block, after = row + block;
    const int64_t keys = gw_block_rows(sequence->key_count, block, cell->key_block + 1);
    ahead.score_gradient = gw_head_ahead(args, args->key_gradient, args->key_stride, row, cell->keys, cell->head);
    ahead.dquery = gw_head_ahead(args, args->value_gradient, args->value_stride, row, cell->keys, cell->head);
    ahead.dkey = gw_head_ahead(args, args->key, args->key_stride, after, keys, cell->head);
    ahead.dvalue = gw_head_ahead(args, args->value, args->value_stride, after, keys, cell->head);
    return ahead;
}

static void take_cell(const gw_attention_args *args, const gw_cell *cell, int64_t next, const backward_tiles *t) {
    const int64_t width = in_lanes(cell->keys), head_size = args->head_size, first = cell->head * head_size;
    const int64_t row = cell->sequence->query_begin + cell->query_block * cell->graph->block;
    const float *query = args->query + row * args->query_stride + first;
    const float *gradient = args->out_gradient + row * args->out_stride + first;
    const cell_ahead ahead = rows_ahead(args, cell, next, t);
    multiply_heads(query, args->query_stride, cell->queries, t->key, t->scores, t->stride, width, head_size,
                   ahead.score);
    gw_cell_apply(cell, t->scores, t->stride);
    multiply_heads(gradient, args->out_stride, cell->queries, t->value, t->score_gradient, t->stride, width, head_size,
                   ahead.score_gradient);
    make_gradients(args, cell, row, t);
    add_query_gradient(cell, t, ahead.dquery);
    add_weighted(query, args->query_stride, cell->queries, t->score_gradient, t->dkey, t->stride, width, head_size,
                 ahead.dkey);
    add_weighted(gradient, args->out_stride, cell->queries, t->scores, t->dvalue, t->stride, width, head_size,
                 ahead.dvalue);
    if (cell->sequence->bias_gradient) add_bias_gradient(cell, t);
}

// key_rows from the tile of scaled keys; numbers past the head size are 0.
static void put_key_rows(const backward_tiles *t, int64_t keys, int64_t head_size) {
    memset(t->key_rows, 0, (size_t)(keys * t->width) * sizeof *t->key_rows);
    gw_tile_get(t->key_rows, t->width, t->key, t->stride, keys, head_size, 1.0f, false);
}

static void take_keys(const gw_attention_args *args, const gw_attention_part *part, int64_t block,
                      const backward_tiles *t) {
    const gw_attention_sequence *sequence = &args->sequence[part->sequence];
    const gw_graph *graph = gw_graph_of(sequence, part->head);
    const int64_t row = sequence->key_begin + block * graph->block, head_size = args->head_size;
    const int64_t key_at = row * args->key_stride + part->head * head_size,
                  value_at = row * args->value_stride + part->head * head_size;
    gw_cell cell = {.graph = graph,
                    .sequence = sequence,
                    .key_block = block,
                    .head = part->head,
                    .lanes_are_queries = false,
                    .keys = gw_block_rows(sequence->key_count, graph->block, block)};
    gw_tile_put(t->key, t->stride, args->key + key_at, args->key_stride, cell.keys, head_size, args->scale);
    gw_tile_put(t->value, t->stride, args->value + value_at, args->value_stride, cell.keys, head_size, 1.0f);
    put_key_rows(t, cell.keys, head_size);
    memset(t->dkey, 0, (size_t)(2 * head_size * t->stride) * sizeof(float)); // and dvalue behind it
    for (int64_t i = graph->column_start[block]; i < graph->column_start[block + 1]; i++) {
        cell.edge = graph->edge[i];
        cell.query_block = graph->row[i];
        cell.queries = gw_block_rows(sequence->query_count, graph->block, cell.query_block);
        const bool last = i + 1 == graph->column_start[block + 1];
        if (cell.queries > 0) take_cell(args, &cell, last ? -1 : graph->row[i + 1], t);
    }
    gw_tile_get(args->key_gradient + key_at, args->key_stride, t->dkey, t->stride, cell.keys, head_size, args->scale,
                true);
    gw_tile_get(args->value_gradient + value_at, args->value_stride, t->dvalue, t->stride, cell.keys, head_size, 1.0f,
                true);
}

static void take_part(const backward_run *run, const gw_attention_part *part, float *scratch) {
    const gw_attention_args *args = run->args;
    const gw_attention_sequence *sequence = &args->sequence[part->sequence];
    const backward_tiles t =
        place_tiles(scratch, run->parts.block, args->head_size, args->partial + part->first_row * run->parts.width);
    memset(t.dquery, 0, (size_t)(sequence->query_count * t.width) * sizeof *t.dquery);
    for (int64_t block = part->begin; block < part->end; block++) take_keys(args, part, block, &t);
}

// Parts of one sequence after the other where they share the gradient of a bias.
static void each_part(void *context, int64_t begin, int64_t end, int thread) {
    const backward_run *run = context;
    float *scratch = gw_attention_scratch_at(run->args, run->parts.block, thread);
    for (int64_t i = begin; i < end; i++)
        for (int64_t p = run->parts.group[i]; p < run->parts.group[i + 1]; p++)
            take_part(run, &run->parts.list[p], scratch);
}

// delta of rows [begin, end), all heads
static void each_delta(void *context, int64_t begin, int64_t end, int thread) {
    const gw_attention_args *args = context;
    (void)thread;
    for (int64_t row = begin; row < end; row++)
        for (int head = 0; head < args->heads; head++) {
            const float *gradient = args->out_gradient + row * args->out_stride + (int64_t)head * args->head_size;
            const float *out = args->out + row * args->out_stride + (int64_t)head * args->head_size;
            gw_f32v sum = {0};
            for (int64_t d = 0; d < args->head_size; d += GW_LANES)
                sum += gw_load_some(gradient + d, args->head_size - d) * gw_load_some(out + d, args->head_size - d);
            args->delta[head * args->query_rows + row] = gw_sum(sum);
        }
}

// dq += the parts' rows, in the order of the parts: sequence and head `item`.
static void each_sum(void *context, int64_t begin, int64_t end, int thread) {
    const backward_run *run = context;
    const gw_attention_args *args = run->args;
    const int64_t width = run->parts.width, head_size = args->head_size;
    (void)thread;
    for (int64_t p = begin * run->parts.of_head; p < end * run->parts.of_head; p++) {
        const gw_attention_part *part = &run->parts.ordered[p];
        const gw_attention_sequence *sequence = &args->sequence[part->sequence];
        for (int64_t i = 0; i < sequence->query_count; i++) {
            float *to =
                args->query_gradient + (sequence->query_begin + i) * args->query_stride + part->head * head_size;
            const float *from = args->partial + (part->first_row + i) * width;
            for (int64_t d = 0; d < head_size; d += GW_LANES)
                gw_store_some(to + d, gw_load_some(to + d, head_size - d) + gw_load(from + d), head_size - d);
        }
    }
}

gw_status GW_KERNEL(attention_backward)(const gw_attention_args *args) {
    backward_run run = {.args = args};
    GW_TRY(gw_attention_parts_make(args, &run.parts));
    gw_parallel_for(args->query_rows, ROW_GRAIN, each_delta, (void *)args);
    gw_parallel_for(run.parts.groups, 1, each_part, &run);
    gw_parallel_for((int64_t)args->sequences * args->heads, 1, each_sum, &run);
    gw_attention_parts_free(&run.parts);
    return GW_OK;
}
