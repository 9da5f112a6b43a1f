// SPDX-License-Identifier: MIT
// Block-graph attention as a plan entry: out_i = sum_j softmax_j(q_i . k_j / sqrt(D)) v_j over the keys in the
// sequence's graph. Rows are packed: each sequence of the queries' stream reads the rows of one sequence of the keys'
// stream. If the queries are some rows of the keys' stream, each reads the same rows as it would among all queries.
#include "nn/attention.h"

#include "base/memory.h"
#include "base/number.h"
#include "nn/layers.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

typedef struct {
    int heads, layer;
    gw_precision precision;
    gw_graph_source *graphs;
    gw_attention_sequence *sequences; // [most sequences, or picked queries]
    gw_graph *graph;                  // [picked queries, or blocks][heads] as each reads its sequence's
    const gw_graph **graph_of;        // the same
    bool picked;                      // queries are rows picked from the keys' stream
} attention_arguments;

// Tokens of a sequence as graphs see them.
static int64_t padded_count(const gw_rows *rows, int64_t s) {
    return rows->pad_to > 0 ? rows->pad_to : rows->start[s + 1] - rows->start[s];
}

// NULL where the tensor is bf16 alone.
static const float *rows_from(const gw_run *run, gw_tensor tensor, int64_t first) {
    const float *value = gw_value(run, tensor);
    return value ? value + first * tensor.width : NULL;
}

static gw_graph_request request_of(const gw_run *run, const gw_step *step, int64_t s, int query_stream) {
    const gw_tensor query = step->in[0], key = step->in[1];
    const gw_rows *queries = &run->batch->of[query_stream], *keys = &run->batch->of[key.rows];
    const int64_t first_query = queries->start[s], first_key = keys->start[s];
    return (gw_graph_request){.shape = {.queries = padded_count(queries, s),
                                        .keys = padded_count(keys, s),
                                        .global = keys->global ? keys->global + first_key : NULL,
                                        .flags = keys->global ? keys->start[s + 1] - first_key : 0},
                              .layer = ((const attention_arguments *)step->arguments)->layer,
                              .seed = run->seed,
                              .step = run->batch->step,
                              .first_query = queries->first + first_query,
                              .query = rows_from(run, query, first_query),
                              .key = rows_from(run, key, first_key),
                              .query_stride = query.width,
                              .key_stride = key.width};
}

// Picked queries, in order, each a sequence of its own: it reads the keys of the sequence that it was picked from.
static gw_status fill_picked(const gw_run *run, const gw_step *step) {
    const attention_arguments *a = step->arguments;
    const gw_rows *picked = &run->batch->of[step->in[0].rows], *keys = &run->batch->of[step->in[1].rows];
    int64_t s = 0;
    for (int64_t i = 0; i < picked->count; i++) {
        while (keys->start[s + 1] <= picked->row[i]) s++;
        const gw_graph_request request = request_of(run, step, s, step->in[1].rows);
        const gw_graph *const *graphs, **graph_of = a->graph_of + i * a->heads;
        int graph_step;
        GW_TRY(gw_graph_get(a->graphs, &request, &graphs, &graph_step));
        for (int h = 0; h <= (a->heads - 1) * graph_step; h++) {
            a->graph[i * a->heads + h] = gw_graph_of_query(graphs[h], picked->row[i] - keys->start[s]);
            graph_of[h] = &a->graph[i * a->heads + h];
        }
        a->sequences[i] = (gw_attention_sequence){.query_begin = i,
                                                  .query_count = 1,
                                                  .key_begin = keys->start[s],
                                                  .key_count = keys->start[s + 1] - keys->start[s],
                                                  .graphs = graph_of,
                                                  .graph_step = graph_step};
    }
    return GW_OK;
}

// The rows and graphs of each sequence. Nobody else holds graphs of the source by now.
static gw_status fill_sequences(const gw_run *run, const gw_step *step) {
    const attention_arguments *a = step->arguments;
    const gw_rows *queries = &run->batch->of[step->in[0].rows], *keys = &run->batch->of[step->in[1].rows];
    a->graphs->release(a->graphs);
    if (a->picked) return fill_picked(run, step);
    for (int64_t s = 0; s < queries->sequences; s++) {
        const gw_graph_request request = request_of(run, step, s, step->in[0].rows);
        gw_attention_sequence *sequence = &a->sequences[s];
        *sequence = (gw_attention_sequence){.query_begin = queries->start[s],
                                            .query_count = queries->start[s + 1] - queries->start[s],
                                            .key_begin = keys->start[s],
                                            .key_count = keys->start[s + 1] - keys->start[s]};
        GW_TRY(gw_graph_get(a->graphs, &request, &sequence->graphs, &sequence->graph_step));
    }
    return GW_OK;
}

gw_attention_args gw_attention_of(const gw_run *run, const gw_step *step, int heads) {
    const gw_tensor query = step->in[0], key = step->in[1], value = step->in[2], out = step->out[0];
    const int64_t width = out.width;
    return (gw_attention_args){
        .heads = heads,
        .head_size = (int)(width / heads),
        .scale = (float)(1 / sqrt((double)(width / heads))),
        .query = gw_value(run, query),
        .key = gw_value(run, key),
        .value = gw_value(run, value),
        .query_stride = width,
        .key_stride = width,
        .value_stride = width,
        .query_rows = gw_run_rows(run, query),
        .key_rows = gw_run_rows(run, key),
        .out = gw_value(run, out),
        .out_stride = width,
        .log_sum = step->saved,
        .out_gradient = gw_gradient(run, out),
        .query_gradient = gw_gradient(run, query),
        .key_gradient = gw_gradient(run, key),
        .value_gradient = gw_gradient(run, value),
        .scratch = step->scratch,
    };
}

static gw_attention_args attention_arguments_of(const gw_run *run, const gw_step *step) {
    const attention_arguments *a = step->arguments;
    gw_attention_args args = gw_attention_of(run, step, a->heads);
    args.sequences = (int)(a->picked ? gw_run_rows(run, step->in[0]) : run->batch->of[step->in[0].rows].sequences);
    args.sequence = a->sequences;
    args.block = a->graphs->block;
    args.precision = a->precision;
    args.query_bf16 = gw_rounded(run, step->in[0]);
    args.key_bf16 = gw_rounded(run, step->in[1]);
    args.value_bf16 = gw_rounded(run, step->in[2]);
    args.out_bf16 = gw_rounded(run, step->out[0]);
    args.out_gradient_bf16 = gw_rounded_gradient(run, step->out[0]);
    args.query_gradient_bf16 = gw_rounded_gradient(run, step->in[0]);
    args.key_gradient_bf16 = gw_rounded_gradient(run, step->in[1]);
    args.value_gradient_bf16 = gw_rounded_gradient(run, step->in[2]);
    return args;
}

static gw_status graphs_of(const gw_run *run, const gw_step *step, const gw_graph *const **graphs, int *graph_step) {
    const attention_arguments *a = step->arguments;
    const gw_graph_request request = request_of(run, step, 0, step->in[1].rows);
    return gw_graph_get(a->graphs, &request, graphs, graph_step);
}

// What is known of the blocks of a sequence.
typedef struct {
    const gw_graph *const *graphs;
    int graph_count;
    int64_t rows, size, count;
    bool *marked; // [count]
} block_list;

static gw_status open_blocks(const gw_run *run, const gw_step *step, const gw_row_set *rows, block_list *out) {
    const attention_arguments *a = step->arguments;
    int graph_step;
    *out = (block_list){.rows = run->batch->of[step->in[1].rows].count, .size = a->graphs->block};
    out->count = (out->rows + out->size - 1) / out->size;
    GW_TRY(graphs_of(run, step, &out->graphs, &graph_step));
    out->graph_count = (a->heads - 1) * graph_step + 1;
    out->marked = gw_alloc(out->count, sizeof *out->marked);
    if (!out->marked) return GW_ERR_MEMORY;
    // `at`: the first range that ends behind a block's beginning.
    for (int64_t b = 0, at = 0; b < out->count; b++) {
        while (at < rows->count && rows->range[at].end <= b * out->size) at++;
        out->marked[b] = at < rows->count && rows->range[at].begin < (b + 1) * out->size;
    }
    return GW_OK;
}

static gw_status add_block(const block_list *blocks, int64_t b, gw_row_set *out) {
    return gw_row_set_add(out, b * blocks->size, gw_min((b + 1) * blocks->size, blocks->rows));
}

static double mean_keys(const block_list *blocks) {
    return (double)(blocks->graphs[0]->row_start[blocks->count] * blocks->size) / (double)blocks->count;
}

gw_status gw_attention_reached(const gw_run *run, const gw_step *step, const gw_row_set *rows, gw_row_set *out,
                               double *keys) {
    block_list blocks;
    gw_row_set_clear(out);
    GW_TRY(open_blocks(run, step, rows, &blocks));
    *keys = mean_keys(&blocks);
    gw_status status = GW_OK;
    for (int64_t b = 0; b < blocks.count && status == GW_OK; b++) {
        bool reached = blocks.marked[b];
        for (int h = 0; h < blocks.graph_count; h++) {
            const gw_graph *graph = blocks.graphs[h];
            for (int64_t e = graph->row_start[b]; e < graph->row_start[b + 1] && !reached; e++)
                reached = graph->column[e] < blocks.count && blocks.marked[graph->column[e]];
        }
        if (reached) status = add_block(&blocks, b, out);
    }
    free(blocks.marked);
    return status;
}

gw_status gw_attention_blocks(const gw_run *run, const gw_step *step, const gw_row_set *rows, gw_row_set *out) {
    block_list blocks;
    gw_row_set_clear(out);
    GW_TRY(open_blocks(run, step, rows, &blocks));
    gw_status status = GW_OK;
    for (int64_t b = 0; b < blocks.count && status == GW_OK; b++)
        if (blocks.marked[b]) status = add_block(&blocks, b, out);
    free(blocks.marked);
    return status;
}

gw_status gw_attention_listed(const gw_run *run, const gw_step *step, const gw_row_set *rows, gw_row_set *out,
                              double *keys) {
    block_list blocks;
    gw_row_set_clear(out);
    GW_TRY(open_blocks(run, step, rows, &blocks));
    *keys = mean_keys(&blocks);
    bool *listed = gw_alloc(blocks.count, sizeof *listed);
    gw_status status = listed ? GW_OK : GW_ERR_MEMORY;
    for (int64_t b = 0; b < blocks.count && status == GW_OK; b++)
        for (int h = 0; h < blocks.graph_count && blocks.marked[b]; h++) {
            const gw_graph *graph = blocks.graphs[h];
            for (int64_t e = graph->row_start[b]; e < graph->row_start[b + 1]; e++)
                if (graph->column[e] < blocks.count) listed[graph->column[e]] = true;
        }
    for (int64_t b = 0; b < blocks.count && status == GW_OK; b++)
        if (listed[b]) status = add_block(&blocks, b, out);
    free(listed);
    free(blocks.marked);
    return status;
}

gw_status gw_attention_some(const gw_run *run, const gw_step *step, const gw_row_set *rows, const float *query,
                            float *out) {
    const attention_arguments *a = step->arguments;
    const int64_t keys = run->batch->of[step->in[1].rows].count;
    const gw_graph *const *graphs;
    int graph_step;
    GW_TRY(graphs_of(run, step, &graphs, &graph_step));
    gw_attention_args args = gw_attention_of(run, step, a->heads);
    args.query = query;
    args.out = out;
    args.query_rows = 0;
    args.sequence = a->sequences;
    args.block = a->graphs->block;
    args.precision = a->precision;
    for (int64_t i = 0; i < rows->count; i++) {
        const gw_row_range *range = &rows->range[i];
        gw_attention_sequence *sequence = &a->sequences[args.sequences++];
        const gw_graph **graph_of = a->graph_of + i * a->heads;
        for (int h = 0; h <= (a->heads - 1) * graph_step; h++) {
            a->graph[i * a->heads + h] = gw_graph_of_query(graphs[h], range->begin);
            a->graph[i * a->heads + h].query_blocks =
                (int32_t)((range->end - range->begin + args.block - 1) / args.block);
            graph_of[h] = &a->graph[i * a->heads + h];
        }
        *sequence = (gw_attention_sequence){.query_begin = args.query_rows,
                                            .query_count = range->end - range->begin,
                                            .key_count = keys,
                                            .graphs = graph_of,
                                            .graph_step = graph_step};
        args.query_rows += range->end - range->begin;
    }
    return run->kernels->attention(&args);
}

static gw_status attention_forward(const gw_run *run, const gw_step *step) {
    GW_TRY(fill_sequences(run, step));
    const gw_attention_args args = attention_arguments_of(run, step);
    return run->kernels->attention(&args);
}

static gw_status attention_backward(const gw_run *run, const gw_step *step) {
    GW_TRY(fill_sequences(run, step));
    const gw_attention_args args = attention_arguments_of(run, step);
    return run->kernels->attention_backward(&args);
}

// Of a stream its sequences; picked queries are one each.
static int64_t most_sequences(const gw_plan *plan, gw_tensor query) {
    const gw_plan_rows *rows = &plan->rows[query.rows];
    return rows->stream == query.rows ? rows->most_sequences : rows->most;
}

static gw_attention_args most_of(const gw_plan *plan, const gw_step *step) {
    const attention_arguments *a = step->arguments;
    const gw_tensor query = step->in[0];
    return (gw_attention_args){.sequences = (int)most_sequences(plan, query),
                               .heads = a->heads,
                               .head_size = (int)(query.width / a->heads),
                               .block = a->graphs->block,
                               .precision = a->precision,
                               .scale = (float)(1 / sqrt((double)(query.width / a->heads))),
                               .query_rows = gw_plan_most(plan, query),
                               .key_rows = gw_plan_most(plan, step->in[1])};
}

static gw_storage attention_storage(const gw_plan *plan, const gw_step *step) {
    const gw_attention_args most = most_of(plan, step);
    if (!plan->kernels->takes_bf16(GW_OP_attention, &most)) return (gw_storage){0};
    return (gw_storage){.rounds = 7, .makes = GW_MAKES_EITHER, .rounded = true, .makes_gradients = 7};
}

static void attention_size_scratch(gw_plan *plan, gw_step *step) {
    const attention_arguments *a = step->arguments;
    const gw_attention_args most = most_of(plan, step);
    step->saved_floats = a->heads * most.query_rows;
    gw_plan_launches(plan, step, GW_OP_attention, &most);
    if (plan->training) gw_plan_launches(plan, step, GW_OP_attention_backward, &most);
}

gw_status gw_attention_pairs(const gw_plan *plan, const gw_step *step, double *pairs) {
    const attention_arguments *a = step->arguments;
    const int64_t sequences = most_sequences(plan, step->in[0]);
    const gw_graph_request request = {.layer = a->layer,
                                      .shape = {.queries = gw_plan_most(plan, step->in[0]) / sequences,
                                                .keys = gw_plan_most(plan, step->in[1]) / sequences}};
    const gw_graph *const *graphs;
    int graph_step;
    double edges = 0;
    GW_TRY(gw_graph_get(a->graphs, &request, &graphs, &graph_step));
    for (int h = 0; h < a->heads; h++) edges += (double)graphs[(int64_t)h * graph_step]->edges;
    *pairs = edges / a->heads * a->graphs->block * a->graphs->block * (double)sequences;
    return GW_OK;
}

static const gw_plan_op attention_op = {.name = "attention",
                                        .reads = GW_READS_BLOCKS,
                                        .forward = attention_forward,
                                        .backward = attention_backward,
                                        .size_scratch = attention_size_scratch,
                                        .storage = attention_storage,
                                        .reads_in = true,
                                        .reads_out = true};

gw_tensor gw_plan_attention(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int heads, int layer,
                            gw_precision precision, gw_graph_source *graphs) {
    assert(query.width == key.width && query.width == value.width && query.width % heads == 0);
    assert(key.rows == value.rows);
    attention_arguments arguments = {.heads = heads, .layer = layer, .precision = precision, .graphs = graphs};
    const int64_t sequences = most_sequences(plan, query);
    arguments.sequences = gw_plan_alloc(plan, sequences, sizeof *arguments.sequences);
    arguments.picked = plan->rows[query.rows].stream != query.rows;
    if (arguments.picked || plan->parts) {
        assert(!plan->training && plan->rows[query.rows].stream == key.rows);
        arguments.graph = gw_plan_alloc(plan, sequences * heads, sizeof *arguments.graph);
        arguments.graph_of = gw_plan_alloc(plan, sequences * heads, sizeof *arguments.graph_of);
    }
    return gw_plan_append(plan, &attention_op, &arguments, sizeof arguments, (gw_tensor[]){query, key, value}, 3,
                          query.rows, query.width);
}

// Linear attention as a plan entry. Kept: the sum of each row's weights.

typedef struct {
    int heads;
    bool causal;
} linear_attention_arguments;
enum { QUERY, KEY, VALUE, INPUTS };

static gw_linear_attention_args linear_attention_args(const gw_run *run, const gw_step *step) {
    const linear_attention_arguments *a = step->arguments;
    const gw_tensor *in = step->in, out = step->out[0];
    const gw_rows *rows = gw_run_inputs(run, in[QUERY].rows);
    return (gw_linear_attention_args){.sequences = rows->sequences,
                                      .rows = gw_run_rows(run, in[QUERY]),
                                      .heads = a->heads,
                                      .features = in[QUERY].width / a->heads,
                                      .size = in[VALUE].width / a->heads,
                                      .causal = a->causal,
                                      .start = rows->start,
                                      .query = gw_value(run, in[QUERY]),
                                      .key = gw_value(run, in[KEY]),
                                      .value = gw_value(run, in[VALUE]),
                                      .out = gw_value(run, out),
                                      .sum = step->saved,
                                      .out_gradient = gw_gradient(run, out),
                                      .query_gradient = gw_gradient(run, in[QUERY]),
                                      .key_gradient = gw_gradient(run, in[KEY]),
                                      .value_gradient = gw_gradient(run, in[VALUE]),
                                      .scratch = step->scratch};
}

GW_STEP_FUNCTIONS(linear_attention, linear_attention)

static void linear_attention_size_scratch(gw_plan *plan, gw_step *step) {
    const linear_attention_arguments *a = step->arguments;
    const gw_linear_attention_args most = {.sequences = plan->rows[step->in[QUERY].rows].most_sequences,
                                           .rows = gw_plan_most(plan, step->in[QUERY]),
                                           .heads = a->heads,
                                           .features = step->in[QUERY].width / a->heads,
                                           .size = step->in[VALUE].width / a->heads,
                                           .causal = a->causal};
    step->saved_floats = a->heads * gw_plan_most(plan, step->in[QUERY]);
    gw_plan_launches(plan, step, GW_OP_linear_attention, &most);
    if (plan->training) gw_plan_launches(plan, step, GW_OP_linear_attention_backward, &most);
}

static const gw_plan_op linear_attention_op = {.name = "linear_attention",
                                               .forward = linear_attention_forward,
                                               .backward = linear_attention_backward,
                                               .size_scratch = linear_attention_size_scratch,
                                               .reads_in = true,
                                               .reads_out = true};

gw_tensor gw_plan_linear_attention(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int heads,
                                   bool causal) {
    const linear_attention_arguments arguments = {heads, causal};
    assert(query.rows == key.rows && query.rows == value.rows && query.width == key.width);
    return gw_plan_append(plan, &linear_attention_op, &arguments, sizeof arguments, (gw_tensor[]){query, key, value},
                          INPUTS, query.rows, value.width);
}

// Rotary positions as a plan entry. Turning is orthogonal: the backward pass turns the gradient back.

typedef struct {
    int heads;
    gw_angles angles;
} rotary_arguments;

static gw_status turn(const gw_run *run, const gw_step *step, float *data, bool inverse) {
    const rotary_arguments *a = step->arguments;
    const gw_tensor out = step->out[0];
    return run->kernels->rotary(&(gw_rotary_args){
        .rows = gw_run_rows(run, out),
        .heads = a->heads,
        .head_size = out.width / a->heads,
        .rotary = a->angles.rotary,
        .position = gw_run_inputs(run, out.rows)->position,
        .cosine = a->angles.cosine,
        .sine = a->angles.sine,
        .inverse = inverse,
        .data = data,
        .stride = out.width,
    });
}

static gw_status rotary_forward(const gw_run *run, const gw_step *step) {
    return turn(run, step, gw_value(run, step->out[0]), false);
}

static gw_status rotary_backward(const gw_run *run, const gw_step *step) {
    return turn(run, step, gw_gradient(run, step->out[0]), true);
}

static const gw_plan_op rotary_op = {.name = "rotary",
                                     .reads = GW_READS_ROW,
                                     .reads_batch = true,
                                     .forward = rotary_forward,
                                     .backward = rotary_backward,
                                     .must_be_in_place = true};

gw_angles gw_plan_angles(gw_plan *plan, int64_t positions, int64_t rotary, double base, const float *frequency) {
    gw_plan_needs(plan, GW_OP_rotary_angles);
    const gw_angles angles = {rotary, gw_plan_memory(plan, positions * rotary / 2, sizeof(float)),
                              gw_plan_memory(plan, positions * rotary / 2, sizeof(float))};
    if (plan->status == GW_OK && gw_backend_has(plan->kernels, GW_OP_rotary_angles))
        plan->status = plan->kernels->rotary_angles(&(gw_rotary_angles_args){
            .positions = positions,
            .rotary = rotary,
            .base = base,
            .frequency = frequency,
            .cosine = angles.cosine,
            .sine = angles.sine,
        });
    return angles;
}

gw_tensor gw_plan_rotary(gw_plan *plan, gw_tensor in, int heads, gw_angles angles) {
    const rotary_arguments arguments = {heads, angles};
    assert(angles.rotary % 2 == 0 && angles.rotary <= in.width / heads);
    gw_plan_needs(plan, GW_OP_rotary);
    return gw_plan_append(plan, &rotary_op, &arguments, sizeof arguments, &in, 1, in.rows, in.width);
}
