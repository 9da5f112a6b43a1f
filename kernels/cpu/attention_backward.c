// SPDX-License-Identifier: MIT
// Block-graph attention, backward. With z recomputed, P = e^(z - log_sum), delta_i = dout_i . out_i:
//   dz_ij = P_ij (dout_i . v_j - delta_i);   dq_i += scale sum_j dz_ij k_j;   dk_j += scale sum_i dz_ij q_i;
//   dv_j += sum_i P_ij dout_i;   dbias += dz
// First by blocks of queries (delta, dq, dbias), then by blocks of keys over the transposed graph (dk, dv): each result
// has one owner, so nothing is added by two threads. z and dout . v are computed in both.
#include "base/parallel.h"
#include "kernels/cpu/attention_cell.h"
#include "kernels/cpu/attention_tile.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/vmath.h"

#include <stdlib.h>

typedef struct {
    const gw_attention_args *args;
    gw_attention_work work;
} backward_run;

// A thread's tiles, all with the same stride. The own side is the queries first, then the keys.
typedef struct {
    int64_t stride;
    float *own_scaled;              // [D][stride] scale q, or scale k
    float *own_other;               // [D][stride] dout, or v
    float *sum, *sum_other;         // [D][stride] dq / scale, or dk / scale and dv
    float *scores, *score_gradient; // [block][stride] z and P; dout . v and dz
    float *log_sum, *delta;         // [stride] by queries
} backward_tiles;

static backward_tiles place_tiles(float *scratch, int64_t block, int64_t head_size) {
    backward_tiles t = {.stride = gw_attention_width(block)};
    t.own_scaled = scratch;
    t.own_other = t.own_scaled + head_size * t.stride;
    t.sum = t.own_other + head_size * t.stride;
    t.sum_other = t.sum + head_size * t.stride;
    t.scores = t.sum_other + head_size * t.stride;
    t.score_gradient = t.scores + block * t.stride;
    t.log_sum = t.score_gradient + block * t.stride;
    t.delta = t.log_sum + t.stride;
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
                         int64_t stride, int64_t width, int64_t head_size) {
    gw_tile_multiply(&(gw_tile_product){.a = a,
                                        .row_step = 1,
                                        .depth_step = a_stride,
                                        .b = weight,
                                        .c = sum,
                                        .stride = stride,
                                        .rows = head_size,
                                        .depth = rows,
                                        .width = width,
                                        .add = true});
}

static void add_bias_gradient(const gw_cell *cell, const backward_tiles *t) {
    float *gradient = cell->sequence->bias_gradient + gw_cell_bias_offset(cell);
    for (int64_t j = 0; j < cell->keys; j++)
        for (int64_t i = 0; i < cell->queries; i++)
            gradient[i * cell->graph->block + j] += t->score_gradient[j * t->stride + i];
}

// The rows of `block` that the next cell reads.
static gw_rows_ahead rows_ahead(const float *rows, int64_t stride, int64_t begin, int64_t count, const gw_cell *cell,
                                int64_t block, int64_t head_size) {
    return (gw_rows_ahead){.from = rows + (begin + block * cell->graph->block) * stride + cell->head * head_size,
                           .step = stride,
                           .rows = gw_block_rows(count, cell->graph->block, block),
                           .depth = head_size};
}

static void take_cell_by_queries(const gw_attention_args *args, const gw_cell *cell, const backward_tiles *t) {
    const int64_t width = in_lanes(cell->queries), head_size = args->head_size;
    const gw_attention_sequence *sequence = cell->sequence;
    const int64_t row = sequence->key_begin + cell->key_block * cell->graph->block;
    const float *key = args->key + row * args->key_stride + cell->head * head_size;
    const float *value = args->value + row * args->value_stride + cell->head * head_size;
    const bool last = cell->edge + 1 == cell->graph->row_start[cell->query_block + 1];
    multiply_heads(key, args->key_stride, cell->keys, t->own_scaled, t->scores, t->stride, width, head_size,
                   (gw_rows_ahead){value, args->value_stride, cell->keys, head_size});
    gw_cell_apply(cell, t->scores, t->stride);
    multiply_heads(value, args->value_stride, cell->keys, t->own_other, t->score_gradient, t->stride, width, head_size,
                   rows_ahead(args->key, args->key_stride, sequence->key_begin, sequence->key_count, cell,
                              last ? 0 : cell->graph->column[cell->edge + 1], head_size));
    for (int64_t j = 0; j < cell->keys; j++)
        for (int64_t lane = 0; lane < width; lane += GW_LANES) {
            const int64_t at = j * t->stride + lane;
            const gw_f32v z = gw_load(t->scores + at) - gw_load(t->log_sum + lane);
            const gw_f32v gradient = gw_load(t->score_gradient + at) - gw_load(t->delta + lane);
            gw_store(t->score_gradient + at, gw_exp2_bounded(z * GW_LOG2_E) * gradient);
        }
    add_weighted(key, args->key_stride, cell->keys, t->score_gradient, t->sum, t->stride, width, head_size);
    if (sequence->bias_gradient) add_bias_gradient(cell, t);
}

// delta of the block's rows, kept for the pass by keys, and the lanes of log_sum and delta; lanes past the rows are 0.
static void load_rows(const gw_attention_args *args, int64_t row, const gw_cell *cell, const backward_tiles *t) {
    const int64_t head_size = args->head_size, at = cell->head * args->query_rows + row;
    memset(t->log_sum, 0, (size_t)t->stride * sizeof(float));
    memset(t->delta, 0, (size_t)t->stride * sizeof(float));
    for (int64_t i = 0; i < cell->queries; i++) {
        const float *gradient = args->out_gradient + (row + i) * args->out_stride + cell->head * head_size;
        const float *out = args->out + (row + i) * args->out_stride + cell->head * head_size;
        gw_f32v sum = {0};
        for (int64_t d = 0; d < head_size; d += GW_LANES)
            sum += gw_load_some(gradient + d, head_size - d) * gw_load_some(out + d, head_size - d);
        t->delta[i] = args->delta[at + i] = gw_sum(sum);
        t->log_sum[i] = safe_log_sum(args->log_sum[at + i]);
    }
}

static void take_queries(const gw_attention_args *args, int32_t s, int32_t head, int32_t block, float *scratch) {
    const gw_attention_sequence *sequence = &args->sequence[s];
    const gw_graph *graph = gw_graph_of(sequence, head);
    const backward_tiles t = place_tiles(scratch, graph->block, args->head_size);
    const int64_t row = sequence->query_begin + (int64_t)block * graph->block, first = (int64_t)head * args->head_size;
    const int64_t at = row * args->query_stride + first, head_size = args->head_size;
    gw_cell cell = {.graph = graph,
                    .sequence = sequence,
                    .query_block = block,
                    .head = head,
                    .lanes_are_queries = true,
                    .queries = gw_block_rows(sequence->query_count, graph->block, block)};
    if (cell.queries == 0 || block >= graph->query_blocks) return;
    gw_tile_put(t.own_scaled, t.stride, args->query + at, args->query_stride, cell.queries, head_size, args->scale);
    gw_tile_put(t.own_other, t.stride, args->out_gradient + row * args->out_stride + first, args->out_stride,
                cell.queries, head_size, 1.0f);
    memset(t.sum, 0, (size_t)(head_size * t.stride) * sizeof(float));
    load_rows(args, row, &cell, &t);
    for (cell.edge = graph->row_start[block]; cell.edge < graph->row_start[block + 1]; cell.edge++) {
        cell.key_block = graph->column[cell.edge];
        cell.keys = gw_block_rows(sequence->key_count, graph->block, cell.key_block);
        if (cell.keys > 0) take_cell_by_queries(args, &cell, &t);
    }
    gw_tile_get(args->query_gradient + at, args->query_stride, t.sum, t.stride, cell.queries, head_size, args->scale,
                true);
}

// `next`: the query block of the column's next cell.
static void take_cell_by_keys(const gw_attention_args *args, const gw_cell *cell, int64_t next,
                              const backward_tiles *t) {
    const int64_t width = in_lanes(cell->keys), head_size = args->head_size, first = cell->head * head_size;
    const gw_attention_sequence *sequence = cell->sequence;
    const int64_t row = sequence->query_begin + cell->query_block * cell->graph->block;
    const float *query = args->query + row * args->query_stride + first;
    const float *gradient = args->out_gradient + row * args->out_stride + first;
    const float *log_sum = args->log_sum + cell->head * args->query_rows + row;
    const float *delta = args->delta + cell->head * args->query_rows + row;
    multiply_heads(query, args->query_stride, cell->queries, t->own_scaled, t->scores, t->stride, width, head_size,
                   (gw_rows_ahead){gradient, args->out_stride, cell->queries, head_size});
    gw_cell_apply(cell, t->scores, t->stride);
    multiply_heads(gradient, args->out_stride, cell->queries, t->own_other, t->score_gradient, t->stride, width,
                   head_size,
                   rows_ahead(args->query, args->query_stride, sequence->query_begin, sequence->query_count, cell, next,
                              head_size));
    for (int64_t i = 0; i < cell->queries; i++) {
        const float shift = safe_log_sum(log_sum[i]);
        for (int64_t at = i * t->stride; at < i * t->stride + width; at += GW_LANES) {
            const gw_f32v p = gw_exp2_bounded((gw_load(t->scores + at) - shift) * GW_LOG2_E);
            gw_store(t->scores + at, p);
            gw_store(t->score_gradient + at, p * (gw_load(t->score_gradient + at) - delta[i]));
        }
    }
    add_weighted(query, args->query_stride, cell->queries, t->score_gradient, t->sum, t->stride, width, head_size);
    add_weighted(gradient, args->out_stride, cell->queries, t->scores, t->sum_other, t->stride, width, head_size);
}

static void take_keys(const gw_attention_args *args, int32_t s, int32_t head, int32_t block, float *scratch) {
    const gw_attention_sequence *sequence = &args->sequence[s];
    const gw_graph *graph = gw_graph_of(sequence, head);
    const backward_tiles t = place_tiles(scratch, graph->block, args->head_size);
    const int64_t row = sequence->key_begin + (int64_t)block * graph->block, head_size = args->head_size;
    const int64_t key_at = row * args->key_stride + head * head_size,
                  value_at = row * args->value_stride + head * head_size;
    gw_cell cell = {.graph = graph,
                    .sequence = sequence,
                    .key_block = block,
                    .head = head,
                    .lanes_are_queries = false,
                    .keys = gw_block_rows(sequence->key_count, graph->block, block)};
    gw_tile_put(t.own_scaled, t.stride, args->key + key_at, args->key_stride, cell.keys, head_size, args->scale);
    gw_tile_put(t.own_other, t.stride, args->value + value_at, args->value_stride, cell.keys, head_size, 1.0f);
    memset(t.sum, 0, (size_t)(2 * head_size * t.stride) * sizeof(float)); // and sum_other behind it
    for (int64_t i = graph->column_start[block]; i < graph->column_start[block + 1]; i++) {
        cell.edge = graph->edge[i];
        cell.query_block = graph->row[i];
        cell.queries = gw_block_rows(sequence->query_count, graph->block, cell.query_block);
        const bool last = i + 1 == graph->column_start[block + 1];
        if (cell.queries > 0) take_cell_by_keys(args, &cell, last ? 0 : graph->row[i + 1], &t);
    }
    gw_tile_get(args->key_gradient + key_at, args->key_stride, t.sum, t.stride, cell.keys, head_size, args->scale,
                true);
    gw_tile_get(args->value_gradient + value_at, args->value_stride, t.sum_other, t.stride, cell.keys, head_size, 1.0f,
                true);
}

static void each_by_queries(void *context, int64_t begin, int64_t end, int thread) {
    const backward_run *run = context;
    float *scratch = gw_attention_scratch_of(run->args, &run->work, thread);
    for (int64_t i = begin; i < end; i++) {
        const gw_attention_item *item = &run->work.items[i];
        for (int32_t s = item->sequence; s < item->sequence + item->sequences; s++)
            take_queries(run->args, s, item->head, item->block, scratch);
    }
}

static void each_by_keys(void *context, int64_t begin, int64_t end, int thread) {
    const backward_run *run = context;
    float *scratch = gw_attention_scratch_of(run->args, &run->work, thread);
    for (int64_t i = begin; i < end; i++) {
        const gw_attention_item *item = &run->work.items[i];
        take_keys(run->args, item->sequence, item->head, item->block, scratch);
    }
}

// True where several sequences may add to one bias gradient.
static bool shares_bias_gradient(const gw_attention_args *args) {
    for (int s = 0; s < args->sequences; s++)
        if (args->sequence[s].bias_gradient) return args->sequences > 1;
    return false;
}

gw_status GW_KERNEL(attention_backward)(const gw_attention_args *args) {
    backward_run run = {.args = args};
    GW_TRY(gw_attention_work_make(args, GW_BY_QUERIES, shares_bias_gradient(args), &run.work));
    gw_parallel_for(run.work.count, 1, each_by_queries, &run);
    free(run.work.items);
    GW_TRY(gw_attention_work_make(args, GW_BY_KEYS, false, &run.work));
    gw_parallel_for(run.work.count, 1, each_by_keys, &run);
    free(run.work.items);
    return GW_OK;
}
