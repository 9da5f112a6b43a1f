// SPDX-License-Identifier: MIT
// Dropout, and residual sums: out = in + residual, where in may be dropped on the way.
#include "nn/steps.h"

#include <assert.h>

// Rows of a row set lie apart in their stream, and are drawn as rows of that; so are those of a stream within another.
static gw_dropout_args dropout_arguments(const gw_run *run, const gw_step *step) {
    const gw_dropout_arguments *a = step->arguments;
    const gw_tensor out = step->out[0];
    return (gw_dropout_args){
        .count = gw_run_rows(run, out) * out.width,
        .probability = (float)a->dropout.probability,
        .seed = run->seed,
        .step = run->batch->step,
        .site = a->dropout.site,
        .first_element = run->batch->of[a->stream].first * out.width,
        .row = gw_run_inputs(run, out.rows)->row,
        .width = out.width,
    };
}

static gw_status forward(const gw_run *run, const gw_step *step) {
    gw_dropout_args args = dropout_arguments(run, step);
    args.in = gw_value(run, step->in[0]);
    if (step->ins > 1) args.residual = gw_value(run, step->in[1]);
    args.out = gw_value(run, step->out[0]);
    return run->kernels->dropout_add(&args);
}

static gw_status backward(const gw_run *run, const gw_step *step) {
    gw_dropout_args args = dropout_arguments(run, step);
    args.out_gradient = gw_gradient(run, step->out[0]);
    if (step->ins > 1) args.residual_gradient = gw_gradient(run, step->in[1]);
    args.overwrites = step->overwrites;
    // A gradient that passes through whole and in place is there already.
    if (args.probability > 0 || gw_gradient(run, step->in[0]) != args.out_gradient)
        args.in_gradient = gw_gradient(run, step->in[0]);
    return run->kernels->dropout_add_backward(&args);
}

static void size_scratch(gw_plan *plan, gw_step *step) {
    (void)step;
    gw_plan_needs(plan, GW_OP_dropout_add);
    if (plan->training) gw_plan_needs(plan, GW_OP_dropout_add_backward);
}

const gw_plan_op gw_dropout_op = {.name = "dropout",
                                  .reads = GW_READS_ROW,
                                  .forward = forward,
                                  .backward = backward,
                                  .size_scratch = size_scratch,
                                  .in_place = true,
                                  .gradient_in_place = true};

const gw_plan_op gw_sum_op = {.name = "sum",
                              .reads = GW_READS_ROW,
                              .forward = forward,
                              .backward = backward,
                              .size_scratch = size_scratch,
                              .in_place = true,
                              .gradient_in_place = true,
                              .overwrites = 2};

gw_tensor gw_plan_dropout(gw_plan *plan, gw_tensor in, gw_dropout dropout) {
    const gw_dropout_arguments arguments = {dropout, plan->rows[in.rows].within};
    if (!plan->training || plan->still || dropout.probability == 0) return in;
    return gw_plan_append(plan, &gw_dropout_op, &arguments, sizeof arguments, &in, 1, in.rows, in.width);
}

gw_tensor gw_plan_sum(gw_plan *plan, gw_tensor in, gw_tensor residual) {
    const gw_dropout_arguments arguments = {.stream = plan->rows[in.rows].within};
    assert(in.rows == residual.rows && in.width == residual.width);
    return gw_plan_append(plan, &gw_sum_op, &arguments, sizeof arguments, (gw_tensor[]){in, residual}, 2, in.rows,
                          in.width);
}
