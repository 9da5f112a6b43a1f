// SPDX-License-Identifier: MIT
// Block-graph attention as a plan entry: out_i = sum_j softmax_j(q_i . k_j / sqrt(D)) v_j over the keys that the
// sequence's graph lists. Packed rows: each sequence of the queries' stream reads the rows of one sequence of the
// keys'.
#include "base/parallel.h"
#include "nn/layers.h"

#include <assert.h>
#include <math.h>

typedef struct {
    gw_tensor query, key, value, out;
    int heads, layer;
    gw_graph_source *graphs;
    gw_attention_sequence *sequences; // [most sequences]
    float *log_sum, *delta;           // [heads][queries]
    float *partial;
    float *scratch, *bf16; // bf16 NULL: f32
} attention_step;

// Tokens of a sequence as graphs see them.
static int64_t padded_count(const gw_rows *rows, int64_t s) {
    return rows->pad_to > 0 ? rows->pad_to : rows->start[s + 1] - rows->start[s];
}

static gw_graph_request request_of(const gw_run *run, const attention_step *step, int64_t s) {
    const gw_rows *queries = &run->batch->of[step->query.rows], *keys = &run->batch->of[step->key.rows];
    const int64_t query = queries->start[s], key = keys->start[s];
    return (gw_graph_request){.shape = {.queries = padded_count(queries, s),
                                        .keys = padded_count(keys, s),
                                        .global = keys->global ? keys->global + key : NULL,
                                        .flags = keys->global ? keys->start[s + 1] - key : 0},
                              .layer = step->layer,
                              .seed = run->seed,
                              .step = run->batch->step,
                              .first_query = queries->first + query,
                              .query = step->query.value + query * step->query.width,
                              .key = step->key.value + key * step->key.width,
                              .query_stride = step->query.width,
                              .key_stride = step->key.width};
}

// The rows and graphs of each sequence. Nobody else holds graphs of the source by now.
static gw_status fill_sequences(const gw_run *run, const attention_step *step) {
    const gw_rows *queries = &run->batch->of[step->query.rows], *keys = &run->batch->of[step->key.rows];
    step->graphs->release(step->graphs);
    for (int64_t s = 0; s < queries->sequences; s++) {
        const gw_graph_request request = request_of(run, step, s);
        gw_attention_sequence *sequence = &step->sequences[s];
        *sequence = (gw_attention_sequence){.query_begin = queries->start[s],
                                            .query_count = queries->start[s + 1] - queries->start[s],
                                            .key_begin = keys->start[s],
                                            .key_count = keys->start[s + 1] - keys->start[s]};
        GW_TRY(gw_graph_get(step->graphs, &request, &sequence->graphs, &sequence->graph_step));
    }
    return GW_OK;
}

static gw_attention_args attention_arguments(const gw_run *run, const attention_step *step) {
    const int64_t width = step->out.width;
    return (gw_attention_args){
        .sequences = (int)run->batch->of[step->query.rows].sequences,
        .sequence = step->sequences,
        .heads = step->heads,
        .head_size = (int)(width / step->heads),
        .scale = (float)(1 / sqrt((double)(width / step->heads))),
        .query = step->query.value,
        .key = step->key.value,
        .value = step->value.value,
        .query_stride = width,
        .key_stride = width,
        .value_stride = width,
        .query_rows = gw_run_rows(run, step->query),
        .key_rows = gw_run_rows(run, step->key),
        .out = step->out.value,
        .out_stride = width,
        .log_sum = step->log_sum,
        .out_gradient = step->out.gradient,
        .query_gradient = step->query.gradient,
        .key_gradient = step->key.gradient,
        .value_gradient = step->value.gradient,
        .delta = step->delta,
        .partial = step->partial,
        .scratch = step->scratch,
        .bf16 = step->bf16,
    };
}

static gw_status forward(const gw_run *run, const void *arguments) {
    const attention_step *step = arguments;
    GW_TRY(fill_sequences(run, step));
    const gw_attention_args args = attention_arguments(run, step);
    return run->kernels->attention(&args);
}

static gw_status backward(const gw_run *run, const void *arguments) {
    const attention_step *step = arguments;
    GW_TRY(fill_sequences(run, step));
    const gw_attention_args args = attention_arguments(run, step);
    return run->kernels->attention_backward(&args);
}

gw_tensor gw_plan_attention(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int heads, int layer,
                            gw_precision precision, gw_graph_source *graphs) {
    assert(query.width == key.width && query.width == value.width && query.width % heads == 0);
    assert(key.rows == value.rows);
    attention_step step = {
        .query = query, .key = key, .value = value, .heads = heads, .layer = layer, .graphs = graphs};
    const int64_t queries = gw_plan_most(plan, query), keys = gw_plan_most(plan, key);
    const int size = (int)(query.width / heads);
    step.out = gw_plan_tensor(plan, query.rows, query.width, true);
    step.sequences = gw_plan_take(plan, plan->rows[query.rows].most_sequences, sizeof *step.sequences);
    step.log_sum = gw_plan_kept(plan, heads * queries);
    if (plan->training) {
        step.delta = gw_plan_scratch(plan, heads * queries);
        step.partial = gw_plan_scratch(plan, gw_attention_partial(queries, heads, size));
    }
    step.scratch = gw_plan_scratch(plan, gw_attention_scratch(gw_threads(), graphs->block, size));
    if (precision == GW_BF16) step.bf16 = gw_plan_scratch(plan, gw_attention_bf16(queries, keys, heads, size));
    gw_plan_append(plan, query.rows, forward, backward, &step, sizeof step);
    return step.out;
}
