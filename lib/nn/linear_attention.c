// SPDX-License-Identifier: MIT
// Linear attention as a plan entry. Kept: the sum of each row's weights.
#include "nn/linear_attention.h"

#include <assert.h>

typedef struct {
    int heads;
    bool causal;
} linear_attention_arguments;
enum { QUERY, KEY, VALUE, INPUTS };

static gw_linear_attention_args arguments_of(const gw_run *run, const gw_step *step) {
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

static gw_status forward(const gw_run *run, const gw_step *step) {
    const gw_linear_attention_args args = arguments_of(run, step);
    return run->kernels->linear_attention(&args);
}

static gw_status backward(const gw_run *run, const gw_step *step) {
    const gw_linear_attention_args args = arguments_of(run, step);
    return run->kernels->linear_attention_backward(&args);
}

static void size_scratch(gw_plan *plan, gw_step *step) {
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
                                               .forward = forward,
                                               .backward = backward,
                                               .size_scratch = size_scratch,
                                               .reads_in = true,
                                               .reads_out = true};

gw_tensor gw_plan_linear_attention(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int heads,
                                   bool causal) {
    const linear_attention_arguments arguments = {heads, causal};
    assert(query.rows == key.rows && query.rows == value.rows && query.width == key.width);
    return gw_plan_append(plan, &linear_attention_op, &arguments, sizeof arguments, (gw_tensor[]){query, key, value},
                          INPUTS, query.rows, value.width);
}
