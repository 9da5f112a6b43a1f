// SPDX-License-Identifier: MIT
// Block-graph attention, forward. Each block of queries makes one pass over the key blocks of its row in the graph,
// with the running softmax of Milakov & Gimelshein (2018) and FlashAttention (Dao et al., 2022), per query:
//   l = l e^(m - m') + sum_j e^(z_j - m');  o = o e^(m - m') + sum_j e^(z_j - m') v_j
// At the end out = o / l and log_sum = m + ln l. This holds for any m. Here m is not the largest score so far: m
// follows it only when it exceeds m by more than RISE, so that o is rarely scaled. m is stored as m log2 e, because
// every e^(z - m) is 2^(z log2 e - m log2 e): a multiply-add and a power of two. Queries are the lanes of every tile.
// Scores stay in scratch memory of one block. In bf16, keys and values are rounded first, and queries and exponentials
// during the products. attention_pair.h computes the products.
#include "base/parallel.h"
#include "kernels/cpu/isa/attention_rows.h"
#include "kernels/cpu/isa/attention_terms.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/vmath.h"

typedef struct {
    const gw_attention_args *args;
    gw_attention_work work;
} attention_run;

// A thread's tiles, all with the same stride.
typedef struct {
    int64_t stride;
    float *query;       // [D][stride] scaled
    float *out;         // [D][stride] o
    float *scores;      // [block][stride] z, then e^(z - m); in bf16 as pairs of keys
    float *shift, *sum; // [stride] m log2 e, l
    float *terms;       // [ids][stride] of relative attention: scale (q . E + b); behind them room for as many
} forward_tiles;

static forward_tiles place_tiles(float *scratch, int64_t block, int64_t head_size) {
    forward_tiles t = {.stride = gw_attention_width(block)};
    t.query = scratch;
    t.out = t.query + head_size * t.stride;
    t.scores = t.out + head_size * t.stride;
    t.shift = t.scores + block * t.stride;
    t.sum = t.shift + t.stride;
    t.terms = scratch + gw_attention_thread_scratch(block, head_size);
    return t;
}

enum { RISE = 6 }; // of m log2 e

GW_INLINE void scale_lanes(float *lanes, const gw_f32v *factor, const int vectors) {
    for (int v = 0; v < vectors; v++) gw_store(lanes + v * GW_LANES, gw_load(lanes + v * GW_LANES) * factor[v]);
}

// Makes m' of the scores, by lane, and scales l and o by e^(m - m') where one of the lanes has another m than before.
// `vectors` side by side, so that their chains of maxima run at once.
GW_INLINE void raise_shift(const forward_tiles *t, int64_t keys, int64_t lane, int64_t head_size, const int vectors) {
    gw_f32v largest[GW_TILE_VECTORS], shrink[GW_TILE_VECTORS];
    gw_i32v shrinks = {0};
    for (int v = 0; v < vectors; v++) largest[v] = gw_all(-INFINITY);
    for (int64_t j = 0; j < keys; j++)
        for (int v = 0; v < vectors; v++)
            largest[v] = gw_max(gw_load(t->scores + j * t->stride + lane + v * GW_LANES), largest[v]);
    for (int v = 0; v < vectors; v++) {
        float *shift = t->shift + lane + v * GW_LANES;
        const gw_f32v before = gw_load(shift), most = largest[v] * GW_LOG2_E,
                      after = gw_select(most > before + RISE, most, before);
        const gw_i32v differs = (after > before) & (before > -INFINITY); // where it was -infinity, l and o are 0
        shrink[v] = gw_select(differs, gw_exp2_bounded(before - after), gw_all(1.0f));
        gw_store(shift, after);
        shrinks |= differs;
    }
    if (!gw_any(shrinks)) return;
    scale_lanes(t->sum + lane, shrink, vectors);
    for (int64_t d = 0; d < head_size; d++) scale_lanes(t->out + d * t->stride + lane, shrink, vectors);
}

// Scores to e^(z - m), whose sum is added to l: each by itself would be lost where l is large already, as of thousands
// of keys next to one that is read most.
GW_INLINE void take_exponentials(const forward_tiles *t, int64_t keys, int64_t lane, const int vectors) {
    gw_f32v shift[GW_TILE_VECTORS], sum[GW_TILE_VECTORS];
    for (int v = 0; v < vectors; v++) {
        shift[v] = gw_finite_shift(gw_load(t->shift + lane + v * GW_LANES));
        sum[v] = gw_all(0.0f);
    }
    for (int64_t j = 0; j < keys; j++)
        for (int v = 0; v < vectors; v++) {
            float *score = t->scores + j * t->stride + lane + v * GW_LANES;
            const gw_f32v e = gw_exp2_bounded(gw_fma(gw_load(score), gw_all(GW_LOG2_E), -shift[v]));
            gw_store(score, e);
            sum[v] += e;
        }
    for (int v = 0; v < vectors; v++)
        gw_store(t->sum + lane + v * GW_LANES, gw_load(t->sum + lane + v * GW_LANES) + sum[v]);
}

GW_INLINE void softmax_lanes(const forward_tiles *t, int64_t keys, int64_t lane, int64_t head_size, bool pairs,
                             const int vectors) {
    raise_shift(t, keys, lane, head_size, vectors);
    if (pairs) gw_pairs.exponentials(t->scores + lane, t->stride, keys, t->shift + lane, t->sum + lane, vectors);
    else take_exponentials(t, keys, lane, vectors);
}

static void softmax(const forward_tiles *t, int64_t keys, int64_t width, int64_t head_size, bool pairs) {
    int64_t lane = 0;
    for (; lane + GW_TILE_VECTORS * GW_LANES <= width; lane += GW_TILE_VECTORS * GW_LANES)
        softmax_lanes(t, keys, lane, head_size, pairs, GW_TILE_VECTORS);
    for (; lane < width; lane += GW_LANES) softmax_lanes(t, keys, lane, head_size, pairs, 1);
}

static void put_values(const gw_attention_args *args, const gw_edge_rows *from, const gw_edge_rows *to) {
    float *pairs = (float *)to->value;
    if (gw_pairs.turned)
        gw_pairs.turned(pairs, to->value_step, from->value, from->value_depth_step, from->value_depth, args->head_size,
                        1.0f);
    else
        gw_pairs.rows(pairs, to->value_depth_step, from->value, from->value_depth_step, from->value_depth,
                      args->head_size);
}

static void block_to_bf16(const gw_attention_args *args, const gw_edge *edge, int64_t block) {
    const gw_edge_rows from = gw_rows_in_place(args, edge, block), to = gw_rows_in_pairs(args, edge, block);
    gw_pairs.columns((float *)to.key, from.key, from.key_step, from.value_depth, args->head_size, 1.0f);
    put_values(args, &from, &to);
}

// Queries that are sequences of their own read the same keys, one after the other. Where sequences that stand apart
// share keys, these are rounded once more, to the same bits.
static bool shares_keys(const gw_attention_args *args, int sequence) {
    const gw_attention_sequence *it = &args->sequence[sequence];
    return sequence > 0 && it[-1].key_begin == it->key_begin && it[-1].key_count == it->key_count &&
           it[-1].graphs[0]->block == it->graphs[0]->block;
}

// An item is a stripe of a sequence's key blocks of one head: every STRIPES-th of them.
enum { STRIPES = 16 };

static void to_bf16_items(void *context, int64_t begin, int64_t end, int thread) {
    const gw_attention_args *args = context;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const int head = (int)(i / STRIPES % args->heads), s = (int)(i / STRIPES / args->heads);
        const gw_attention_sequence *sequence = &args->sequence[s];
        const gw_edge edge = {.graph = gw_graph_of(sequence, head), .sequence = sequence, .head = head};
        const int64_t blocks = shares_keys(args, s) ? 0 : gw_blocks_with_rows(sequence, edge.graph, GW_BY_KEYS);
        for (int64_t block = i % STRIPES; block < blocks; block += STRIPES) block_to_bf16(args, &edge, block);
    }
}

// Rounds keys and values into the workspace's pairs.
static void bf16(const gw_attention_args *args) {
    gw_parallel_for((int64_t)args->sequences * args->heads * STRIPES, 1, to_bf16_items, (void *)args);
}

// What the products of an edge ask for: keys and values of the row's next edge; in the last one rows of the output, and
// the queries of the next row, whose first keys tend to be here already.
typedef struct {
    gw_prefetch first, second;
} edge_prefetch;

static edge_prefetch prefetch_of(const gw_attention_args *args, const gw_edge *edge) {
    const gw_graph *graph = edge->graph;
    const gw_attention_sequence *sequence = edge->sequence;
    if (edge->edge + 1 == graph->row_start[edge->query_block + 1]) {
        const int64_t row = sequence->query_begin + edge->query_block * graph->block, next = row + graph->block;
        const int64_t queries = gw_block_rows(sequence->query_count, graph->block, edge->query_block + 1);
        return (edge_prefetch){gw_head_prefetch(args, args->out, args->out_stride, row, edge->queries, edge->head),
                               gw_head_prefetch(args, args->query, args->query_stride, next, queries, edge->head)};
    }
    const int64_t block = graph->column[edge->edge + 1];
    const gw_edge_rows rows = gw_rows_of(args, edge, block);
    const int64_t keys = gw_block_rows(sequence->key_count, graph->block, block);
    const gw_prefetch keys_ahead = {rows.key, rows.key_step, keys, rows.key_depth};
    if (rows.value_depth_step == 1)
        return (edge_prefetch){keys_ahead, {rows.value, rows.value_step, args->head_size, rows.value_depth}};
    return (edge_prefetch){keys_ahead, {rows.value, rows.value_depth_step, rows.value_depth, args->head_size}};
}

static void take_edge(const gw_attention_args *args, const gw_edge *edge, const forward_tiles *t) {
    const int64_t width = (edge->queries + GW_LANES - 1) / GW_LANES * GW_LANES;
    const gw_edge_rows rows = gw_rows_of(args, edge, edge->key_block);
    const edge_prefetch prefetch = prefetch_of(args, edge);
    rows.multiply(&(gw_tile_product){.a = rows.key,
                                     .row_step = rows.key_step,
                                     .depth_step = 1,
                                     .b = t->query,
                                     .c = t->scores,
                                     .stride = t->stride,
                                     .rows = edge->keys,
                                     .depth = rows.key_depth,
                                     .width = width,
                                     .prefetch = prefetch.first});
    if (gw_attention_workspace_of(args)->relative) gw_terms_add_by_queries(args, edge, t->terms, t->scores, t->stride);
    gw_edge_apply(edge, t->scores, t->stride);
    softmax(t, edge->keys, width, args->head_size, gw_has_pairs(args));
    rows.multiply(&(gw_tile_product){.a = rows.value,
                                     .row_step = rows.value_step,
                                     .depth_step = rows.value_depth_step,
                                     .b = t->scores,
                                     .c = t->out,
                                     .stride = t->stride,
                                     .rows = args->head_size,
                                     .depth = rows.value_depth,
                                     .width = width,
                                     .add = true,
                                     .prefetch = prefetch.second});
}

// out = o / l, log_sum = m + ln l
static void finish(const gw_attention_args *args, const forward_tiles *t, int64_t row, int64_t queries, int head) {
    float *log_sum = args->log_sum + head * args->query_rows + row;
    for (int64_t i = 0; i < queries; i++)
        log_sum[i] = t->sum[i] == 0.0f ? -INFINITY : (float)(M_LN2 * (double)t->shift[i] + (double)logf(t->sum[i]));
    for (int64_t lane = 0; lane < queries; lane += GW_LANES) {
        const gw_f32v sum = gw_load(t->sum + lane), inverse = gw_select(sum == 0.0f, gw_all(0.0f), 1.0f / sum);
        for (int64_t d = 0; d < args->head_size; d++)
            gw_store(t->out + d * t->stride + lane, gw_load(t->out + d * t->stride + lane) * inverse);
    }
    gw_tile_get(args->out + row * args->out_stride + (int64_t)head * args->head_size, args->out_stride, t->out,
                t->stride, queries, args->head_size, 1.0f, false);
}

static void take_item(const gw_attention_args *args, const gw_attention_item *item, float *scratch) {
    const gw_attention_sequence *sequence = &args->sequence[item->sequence];
    const gw_graph *graph = gw_graph_of(sequence, item->head);
    const forward_tiles t = place_tiles(scratch, graph->block, args->head_size);
    const int64_t row = sequence->query_begin + (int64_t)item->block * graph->block;
    const float *query = args->query + row * args->query_stride + (int64_t)item->head * args->head_size;
    gw_edge edge = {.graph = graph,
                    .sequence = sequence,
                    .query_block = item->block,
                    .head = item->head,
                    .lanes_are_queries = true,
                    .queries = gw_block_rows(sequence->query_count, graph->block, item->block)};
    gw_tile_put(t.query, t.stride, query, args->query_stride, edge.queries, args->head_size, args->scale);
    if (gw_attention_workspace_of(args)->relative) gw_terms_of_queries(args, &edge, t.query, t.stride, t.terms);
    if (gw_has_pairs(args)) gw_pairs.rows(t.query, t.stride, t.query, t.stride, args->head_size, t.stride);
    memset(t.out, 0, (size_t)(args->head_size * t.stride) * sizeof *t.out);
    memset(t.sum, 0, (size_t)t.stride * sizeof *t.sum);
    gw_edge_exclude(t.shift, 0, t.stride);
    for (edge.edge = graph->row_start[item->block]; edge.edge < graph->row_start[item->block + 1]; edge.edge++) {
        edge.key_block = graph->column[edge.edge];
        edge.keys = gw_block_rows(sequence->key_count, graph->block, edge.key_block);
        if (edge.keys > 0) take_edge(args, &edge, &t);
    }
    finish(args, &t, row, edge.queries, item->head);
}

static void each_item(void *context, int64_t begin, int64_t end, int thread) {
    const attention_run *run = context;
    float *scratch = gw_attention_tiles(run->args, thread);
    gw_begin_products(run->args);
    for (int64_t i = begin; i < end; i++) take_item(run->args, &run->work.items[i], scratch);
    gw_end_products(run->args);
}

// Neighbouring blocks of queries read many of the same keys: where there are plenty of items, a thread takes some at
// once and finds them in its own cache.
enum { MOST_AT_ONCE = 4, ITEMS_EACH = 64 };

static int64_t items_at_once(int64_t count) {
    const int64_t share = count / (ITEMS_EACH * (int64_t)gw_threads());
    return share < 1 ? 1 : share < MOST_AT_ONCE ? share : MOST_AT_ONCE;
}

static gw_status attend(const gw_attention_workspace *workspace) {
    if (gw_has_pairs(&workspace->args)) bf16(&workspace->args);
    attention_run run = {&workspace->args, gw_attention_work_make(&workspace->args)};
    gw_parallel_for(run.work.count, items_at_once(run.work.count), each_item, &run);
    return GW_OK;
}

gw_status GW_KERNEL(attention)(const gw_attention_args *args) {
    const gw_attention_workspace workspace = gw_attention_workspace_make(args, NULL, false);
    return attend(&workspace);
}

gw_status GW_KERNEL(relative_attention)(const gw_relative_attention_args *args) {
    const gw_attention_workspace workspace = gw_attention_workspace_make(&args->attention, args, false);
    return attend(&workspace);
}
