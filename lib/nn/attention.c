// SPDX-License-Identifier: MIT
// Block-graph attention as a plan entry: out_i = sum_j softmax_j(q_i . k_j / sqrt(D)) v_j over the keys that the
// sequence's graph lists. Packed rows: each sequence attends within its own rows. The graph may be that of a longer,
// padded input, of which the kernels leave out what lies past the sequence's end: padding is neither a query nor a key.
#include "base/parallel.h"
#include "nn/layers.h"

#include <assert.h>
#include <math.h>

enum { GRAPH_BYTES = 1 << 28 }; // kept from step to step: ten lengths of 65,536 tokens, all of those up to 8,192

typedef struct {
    gw_tensor query, key, value, out;
    int heads, layer;
    gw_graph_cache *graphs;
    gw_attention_sequence *sequences; // [most sequences]
    float *log_sum, *delta;           // [heads][tokens]
    float *partial;
    float *scratch, *narrow; // narrow NULL: f32
} attention_step;

// The rows and graphs of each sequence. Nobody else holds graphs of the cache by now.
static gw_status fill_sequences(const gw_run *run, const attention_step *step) {
    gw_graph_cache_trim(step->graphs, GRAPH_BYTES);
    for (int64_t s = 0; s < run->rows[GW_ROWS_SEQUENCES]; s++) {
        const int64_t begin = run->start[s], count = run->start[s + 1] - begin;
        gw_attention_sequence *sequence = &step->sequences[s];
        *sequence =
            (gw_attention_sequence){.query_begin = begin, .query_count = count, .key_begin = begin, .key_count = count};
        const int64_t padded = run->pad_to > 0 ? run->pad_to : count;
        GW_TRY(gw_graph_cache_get(step->graphs, padded, step->layer, &sequence->graphs, &sequence->graph_step));
    }
    return GW_OK;
}

static gw_attention_args attention_arguments(const gw_run *run, const attention_step *step) {
    const int64_t width = step->out.width;
    return (gw_attention_args){
        .sequences = (int)run->rows[GW_ROWS_SEQUENCES],
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
        .query_rows = run->rows[GW_ROWS_TOKENS],
        .key_rows = run->rows[GW_ROWS_TOKENS],
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
        .narrow = step->narrow,
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
                            int block, gw_precision precision, gw_graph_cache *graphs) {
    assert(query.width == key.width && query.width == value.width && query.width % heads == 0);
    attention_step step = {
        .query = query, .key = key, .value = value, .heads = heads, .layer = layer, .graphs = graphs};
    const int64_t tokens = plan->most[GW_ROWS_TOKENS];
    step.out = gw_plan_tensor(plan, GW_ROWS_TOKENS, query.width, true);
    step.sequences = gw_plan_take(plan, plan->most[GW_ROWS_SEQUENCES], sizeof *step.sequences);
    step.log_sum = gw_plan_kept(plan, heads * tokens);
    if (plan->training) {
        step.delta = gw_plan_scratch(plan, heads * tokens);
        step.partial = gw_plan_scratch(plan, gw_attention_partial(tokens, heads, (int)(query.width / heads)));
    }
    step.scratch = gw_plan_scratch(plan, gw_attention_scratch(gw_threads(), block, (int)(query.width / heads)));
    if (precision == GW_BF16)
        step.narrow = gw_plan_scratch(plan, gw_attention_narrow(tokens, tokens, heads, (int)(query.width / heads)));
    gw_plan_append(plan, GW_ROWS_TOKENS, forward, backward, &step, sizeof step);
    return step.out;
}
