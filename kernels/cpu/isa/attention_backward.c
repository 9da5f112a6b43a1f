// SPDX-License-Identifier: MIT
// Block-graph attention, backward. With z recomputed, P = e^(z - log_sum), delta_i = dout_i . out_i:
//   dz_ij = P_ij (dout_i . v_j - delta_i);   dq_i += scale sum_j dz_ij k_j;   dk_j += scale sum_i dz_ij q_i;
//   dv_j += sum_i P_ij dout_i
// One pass by blocks of keys over the transposed graph. The dk and dv of a block are sums in separate tiles. Its
// contributions to dq are added to rows that belong only to its part of the head. The parts of a head are added at the
// end in a fixed order; their number depends only on the shape. In bf16, products are of rounded numbers (see
// attention_gradient.h).
#include "base/parallel.h"
#include "kernels/cpu/attention_work.h"
#include "kernels/cpu/isa/attention_gradient.h"
#include "kernels/cpu/isa/isa.h"

#include <string.h>

enum { ROW_GRAIN = 64, PREFETCH_ROWS = 16 };

typedef struct {
    const gw_attention_args *args;
    gw_attention_parts parts;
} backward_run;

typedef struct {
    const gw_attention_args *args;
    gw_attention_work work;
} queries_run;

// The tiles of a block of keys; numbers of key_rows past the head size are 0.
static void put_keys(const gw_attention_args *args, const float *key, const float *value, int64_t keys,
                     const gw_gradient_tiles *t) {
    const int64_t head_size = args->head_size;
    gw_tile_put(t->key, t->stride, key, args->key_stride, keys, head_size, gw_key_scale(args));
    gw_tile_put(t->value, t->stride, value, args->value_stride, keys, head_size, 1.0f);
    memset(t->key_rows, 0, (size_t)(keys * t->width) * sizeof *t->key_rows);
    gw_tile_get(t->key_rows, t->width, t->key, t->stride, keys, head_size, 1.0f, false);
    memset(t->dkey, 0, (size_t)(2 * head_size * t->stride) * sizeof(float)); // and dvalue behind it
    if (!gw_has_pairs(args)) return;
    gw_pairs.rows(t->key, t->stride, t->key, t->stride, head_size, t->stride);
    gw_pairs.rows(t->value, t->stride, t->value, t->stride, head_size, t->stride);
    gw_pairs.rows(t->key_rows, t->width, t->key_rows, t->width, keys, t->width);
}

static void take_keys(const gw_attention_args *args, const gw_attention_part *part, int64_t block,
                      const gw_gradient_tiles *t) {
    const gw_attention_sequence *sequence = &args->sequence[part->sequence];
    const gw_graph *graph = gw_graph_of(sequence, part->head);
    const int64_t row = sequence->key_begin + block * graph->block, head_size = args->head_size;
    const int64_t key_at = row * args->key_stride + part->head * head_size,
                  value_at = row * args->value_stride + part->head * head_size;
    gw_edge edge = {.graph = graph,
                    .sequence = sequence,
                    .key_block = block,
                    .head = part->head,
                    .lanes_are_queries = false,
                    .keys = gw_block_rows(sequence->key_count, graph->block, block)};
    put_keys(args, args->key + key_at, args->value + value_at, edge.keys, t);
    for (int64_t i = graph->column_start[block]; i < graph->column_start[block + 1]; i++) {
        edge.edge = graph->edge[i];
        edge.query_block = graph->row[i];
        edge.queries = gw_block_rows(sequence->query_count, graph->block, edge.query_block);
        const bool last = i + 1 == graph->column_start[block + 1];
        if (edge.queries > 0) gw_gradient_edge(args, &edge, last ? -1 : graph->row[i + 1], t);
    }
    gw_tile_get(args->key_gradient + key_at, args->key_stride, t->dkey, t->stride, edge.keys, head_size,
                gw_key_scale(args), true);
    gw_tile_get(args->value_gradient + value_at, args->value_stride, t->dvalue, t->stride, edge.keys, head_size, 1.0f,
                true);
}

static void take_part(const backward_run *run, const gw_attention_part *part, float *scratch) {
    const gw_attention_args *args = run->args;
    gw_gradient_tiles t = gw_gradient_position(scratch, args->block, args->head_size);
    t.dquery = gw_attention_workspace_of(args)->partial + part->first_row * run->parts.width;
    t.first_key_block = part->begin;
    if (gw_attention_workspace_of(args)->relative)
        t.dterms = gw_attention_workspace_of(args)->partial_terms +
                   part->first_row * gw_attention_ids(gw_attention_workspace_of(args)->relative);
    for (int64_t block = part->begin; block < part->end; block++) take_keys(args, part, block, &t);
}

static void each_part(void *context, int64_t begin, int64_t end, int thread) {
    const backward_run *run = context;
    float *scratch = gw_attention_tiles(run->args, thread);
    gw_begin_products(run->args);
    for (int64_t i = begin; i < end; i++) take_part(run, &run->parts.list[i], scratch);
    gw_end_products(run->args);
}

// Where queries are narrowed next, it asks for them: row by row that reads memory in order, head by head it would not.
static void make_delta(const gw_attention_args *args, int64_t begin, int64_t end) {
    const int64_t width = gw_has_pairs(args) ? args->heads * args->head_size : 0;
    const gw_prefetch queries = {args->query, args->query_stride, end, width};
    for (int64_t row = begin; row < end; row++) {
        gw_prefetch_row(&queries, row);
        for (int head = 0; head < args->heads; head++) {
            const float *gradient = args->out_gradient + row * args->out_stride + (int64_t)head * args->head_size;
            const float *out = args->out + row * args->out_stride + (int64_t)head * args->head_size;
            gw_f32v sum = {0};
            for (int64_t d = 0; d < args->head_size; d += GW_LANES)
                sum += gw_load_some(gradient + d, args->head_size - d) * gw_load_some(out + d, args->head_size - d);
            gw_attention_workspace_of(args)->delta[head * args->query_rows + row] = gw_sum(sum);
        }
    }
}

// q, times the scale, and dout to pairs along the head
static void bf16(const gw_attention_args *args, int64_t begin, int64_t end) {
    for (int head = 0; head < args->heads; head++) {
        const float *query = args->query + begin * args->query_stride + (int64_t)head * args->head_size;
        const float *gradient = args->out_gradient + begin * args->out_stride + (int64_t)head * args->head_size;
        gw_pairs.columns(gw_query_pairs(args, head, begin, false), query, args->query_stride, end - begin,
                         args->head_size, gw_query_scale(args));
        gw_pairs.columns(gw_query_pairs(args, head, begin, true), gradient, args->out_stride, end - begin,
                         args->head_size, 1.0f);
    }
}

// What rows [begin, end) of queries need once, all heads.
static void each_row(void *context, int64_t begin, int64_t end, int thread) {
    const gw_attention_args *args = context;
    (void)thread;
    make_delta(args, begin, end);
    if (gw_has_pairs(args)) bf16(args, begin, end);
    if (gw_attention_workspace_of(args)->relative) gw_terms_of_rows(args, begin, end);
}

static void turn_items(void *context, int64_t begin, int64_t end, int thread) {
    const queries_run *run = context;
    const gw_attention_args *args = run->args;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const gw_attention_item *item = &run->work.items[i];
        const gw_attention_sequence *sequence = &args->sequence[item->sequence];
        const gw_graph *graph = gw_graph_of(sequence, item->head);
        const int64_t row = sequence->query_begin + item->block * (int64_t)graph->block;
        const int64_t rows = gw_block_rows(sequence->query_count, graph->block, item->block);
        const int64_t head = (int64_t)item->head * args->head_size;
        gw_pairs.turned(gw_query_turned(args, item->head, row, false), (rows + 1) / 2,
                        args->query + row * args->query_stride + head, args->query_stride, rows, args->head_size,
                        gw_query_scale(args));
        gw_pairs.turned(gw_query_turned(args, item->head, row, true), (rows + 1) / 2,
                        args->out_gradient + row * args->out_stride + head, args->out_stride, rows, args->head_size,
                        1.0f);
    }
}

// q, times the scale, and dout of each block, turned.
static void turn(const gw_attention_args *args) {
    queries_run run = {args, gw_attention_work_make(args)};
    gw_parallel_for(run.work.count, 1, turn_items, &run);
}

// Whether the part has written the query block's rows of dq.
static bool has_edge(const gw_attention_part *part, const gw_graph *graph, int64_t block) {
    int64_t edge = graph->row_start[block];
    while (edge < graph->row_start[block + 1] && graph->column[edge] < part->begin) edge++;
    return edge < graph->row_start[block + 1] && graph->column[edge] < part->end;
}

// The rows of dq, and of sums of dz, of the parts that have some, in the parts' order.
typedef struct {
    const float *from[GW_ATTENTION_PARTS], *terms[GW_ATTENTION_PARTS];
    int count;
} part_rows;

static void add_rows(const gw_attention_args *args, const part_rows *rows, int64_t begin, int64_t end, float *to) {
    const int64_t head_size = args->head_size, width = gw_attention_width(head_size);
    const float scale = gw_query_scale(args);
    const gw_prefetch prefetch = {to, args->query_stride, end + PREFETCH_ROWS, head_size}; // and the next block's
    for (int64_t i = begin; i < end; i++) {
        gw_prefetch_row(&prefetch, i + PREFETCH_ROWS);
        for (int64_t d = 0; d < head_size; d += GW_LANES) {
            float *at = to + i * args->query_stride + d;
            gw_f32v sum = gw_load_some(at, head_size - d);
            for (int p = 0; p < rows->count; p++) sum += gw_load(rows->from[p] + i * width + d) * scale;
            gw_store_some(at, sum, head_size - d);
        }
    }
}

// Of rows [begin, end) of a part's sequence: its terms become the parts' sums of dz, and dq gains by them.
static void add_terms(const gw_attention_args *args, const part_rows *rows, const gw_attention_part *part,
                      int64_t begin, int64_t end) {
    const int64_t ids = gw_attention_ids(gw_attention_workspace_of(args)->relative);
    const int64_t first = args->sequence[part->sequence].query_begin;
    for (int64_t i = begin; i < end; i++) {
        float *sum = gw_terms_row(args, part->head, first + i);
        memset(sum, 0, (size_t)ids * sizeof *sum);
        for (int p = 0; p < rows->count; p++) gw_add_row(sum, rows->terms[p] + i * ids, 1.0f, ids);
    }
    gw_terms_add_to_queries(args, part->sequence, part->head, first + begin, first + end);
}

// dq += the parts' rows: sequence and head `item`.
static void each_sum(void *context, int64_t begin, int64_t end, int thread) {
    const backward_run *run = context;
    const gw_attention_args *args = run->args;
    const int of_head = run->parts.of_head;
    const gw_attention_workspace *workspace = gw_attention_workspace_of(args);
    const int64_t ids = gw_attention_ids(workspace->relative);
    (void)thread;
    for (int64_t item = begin; item < end; item++) {
        const gw_attention_part *parts = &run->parts.ordered[item * of_head];
        const gw_attention_sequence *sequence = &args->sequence[parts->sequence];
        const gw_graph *graph = gw_graph_of(sequence, parts->head);
        float *to = args->query_gradient + sequence->query_begin * args->query_stride + parts->head * args->head_size;
        for (int64_t block = 0; block < gw_blocks_with_rows(sequence, graph, GW_BY_QUERIES); block++) {
            const int64_t row = block * graph->block;
            part_rows rows = {.count = 0};
            for (int p = 0; p < of_head; p++)
                if (has_edge(&parts[p], graph, block)) {
                    rows.terms[rows.count] = workspace->partial_terms + parts[p].first_row * ids;
                    rows.from[rows.count++] = workspace->partial + parts[p].first_row * run->parts.width;
                }
            const int64_t past = row + gw_block_rows(sequence->query_count, graph->block, block);
            add_rows(args, &rows, row, past, to);
            if (workspace->relative) add_terms(args, &rows, parts, row, past);
        }
    }
}

// The gradients of the tables of terms, head by head.
static void each_table(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    for (int64_t head = begin; head < end; head++) gw_terms_add_to_tables(context, (int)head);
}

static gw_status backward(const gw_attention_workspace *workspace) {
    const gw_attention_args *args = &workspace->args;
    if (gw_has_pairs(args) && gw_pairs.turned) turn(args);
    if (workspace->relative) gw_terms_turn_tables(args);
    backward_run run = {args, gw_attention_parts_make(args)};
    gw_parallel_for(args->query_rows, ROW_GRAIN, each_row, (void *)args);
    gw_parallel_for(run.parts.count, 1, each_part, &run);
    gw_parallel_for((int64_t)args->sequences * args->heads, 1, each_sum, &run);
    if (workspace->relative) gw_parallel_for(args->heads, 1, each_table, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(attention_backward)(const gw_attention_args *args) {
    const gw_attention_workspace workspace = gw_attention_workspace_make(args, NULL, true);
    return backward(&workspace);
}

gw_status GW_KERNEL(relative_attention_backward)(const gw_relative_attention_args *args) {
    const gw_attention_workspace workspace = gw_attention_workspace_make(&args->attention, args, true);
    return backward(&workspace);
}
