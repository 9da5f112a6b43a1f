// SPDX-License-Identifier: MIT
// Relative attention as a plan entry. Its rows, graphs and segments are filled in with the batch.
#include "nn/attention.h"

#include <assert.h>

typedef struct {
    int heads;
    const gw_relative_rows *rows;
    gw_weight embedding, bias;
} relative_arguments;

static gw_relative_attention_args arguments_of(const gw_run *run, const gw_step *step) {
    const relative_arguments *a = step->arguments;
    gw_relative_attention_args args = {
        .attention = gw_attention_of(run, step, a->heads),
        .globals = a->rows->globals,
        .segment_begin = a->rows->segment_begin,
        .segment_end = a->rows->segment_end,
        .linked = a->rows->links ? a->rows->linked : NULL,
        .distance = a->rows->distance,
        .ids = a->rows->ids,
        .embedding = a->embedding.value,
        .bias = a->bias.value,
        .embedding_gradient = a->embedding.gradient,
        .bias_gradient = a->bias.gradient,
    };
    args.attention.sequence = a->rows->sequence;
    args.attention.sequences = (int)run->batch->of[step->in[0].rows].sequences;
    args.attention.block = a->rows->block;
    return args;
}

static gw_status forward(const gw_run *run, const gw_step *step) {
    const gw_relative_attention_args args = arguments_of(run, step);
    return run->kernels->relative_attention(&args);
}

static gw_status backward(const gw_run *run, const gw_step *step) {
    const gw_relative_attention_args args = arguments_of(run, step);
    return run->kernels->relative_attention_backward(&args);
}

static void size_scratch(gw_plan *plan, gw_step *step) {
    const relative_arguments *a = step->arguments;
    const gw_tensor query = step->in[0];
    const int64_t rows = gw_plan_most(plan, query);
    const gw_relative_attention_args most = {.attention = {.sequences = (int)plan->rows[query.rows].most_sequences,
                                                           .heads = a->heads,
                                                           .head_size = (int)(query.width / a->heads),
                                                           .block = a->rows->block,
                                                           .query_rows = rows,
                                                           .key_rows = rows},
                                             .distance = a->rows->distance,
                                             .ids = a->rows->ids};
    step->saved_floats = a->heads * rows;
    gw_plan_launches(plan, step, GW_OP_relative_attention, &most);
    if (plan->training) gw_plan_launches(plan, step, GW_OP_relative_attention_backward, &most);
}

static const gw_plan_op relative_op = {.name = "relative_attention",
                                       .forward = forward,
                                       .backward = backward,
                                       .size_scratch = size_scratch,
                                       .reads_in = true,
                                       .reads_out = true};

gw_tensor gw_plan_relative_attention(gw_plan *plan, const gw_tensor qkv[3], int heads, const gw_relative_rows *rows,
                                     gw_weight embedding, gw_weight bias) {
    const relative_arguments arguments = {heads, rows, embedding, bias};
    assert(qkv[0].rows == qkv[1].rows && qkv[1].rows == qkv[2].rows);
    const gw_tensor made =
        gw_plan_append(plan, &relative_op, &arguments, sizeof arguments, qkv, 3, qkv[0].rows, qkv[0].width);
    gw_plan_learns(plan, embedding);
    gw_plan_learns(plan, bias);
    return made;
}
