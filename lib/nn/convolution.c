// SPDX-License-Identifier: MIT
// Appends a convolution to a plan: what it launches, its backward pass and the memory that it needs.
#include "nn/convolution.h"

#include <assert.h>

static gw_convolution_args arguments_of(const gw_run *run, const gw_step *step) {
    const gw_convolution *c = step->arguments;
    const gw_tensor in = step->in[0], out = step->out[0];
    const gw_rows *stream = gw_run_inputs(run, in.rows);
    return (gw_convolution_args){
        .sequences = stream->sequences,
        .rows = stream->count,
        .start = stream->start,
        .in_width = in.width,
        .width = out.width,
        .taps = c->taps,
        .dilation = c->dilation,
        .groups = c->groups,
        .halo = run->halo,
        .in = gw_value(run, in),
        .weight = c->weight.value,
        .bias = c->bias.value,
        .out = gw_value(run, out),
        .out_gradient = gw_gradient(run, out),
        .in_gradient = gw_gradient(run, in),
        .weight_gradient = c->weight.gradient,
        .overwrites = step->overwrites,
        .precision = c->precision,
        .scratch = step->scratch,
    };
}

static gw_status forward(const gw_run *run, const gw_step *step) {
    const gw_convolution_args args = arguments_of(run, step);
    return run->kernels->convolution(&args);
}

static gw_status backward(const gw_run *run, const gw_step *step) {
    const gw_convolution *c = step->arguments;
    const gw_convolution_args args = arguments_of(run, step);
    GW_TRY(run->kernels->convolution_backward(&args));
    if (!c->bias.value) return GW_OK;
    return run->kernels->column_sum(&(gw_column_sum_args){.rows = args.rows,
                                                          .width = args.width,
                                                          .in = args.out_gradient,
                                                          .in_stride = args.width,
                                                          .out = c->bias.gradient});
}

static void size_scratch(gw_plan *plan, gw_step *step) {
    const gw_convolution *c = step->arguments;
    const gw_tensor in = step->in[0];
    const gw_convolution_args most = {.sequences = plan->rows[in.rows].most_sequences,
                                      .rows = gw_plan_most(plan, in),
                                      .in_width = in.width,
                                      .width = step->out[0].width,
                                      .taps = c->taps,
                                      .dilation = c->dilation,
                                      .groups = c->groups,
                                      .precision = c->precision};
    gw_plan_launches(plan, step, GW_OP_convolution, &most);
    if (!plan->training) return;
    gw_plan_launches(plan, step, GW_OP_convolution_backward, &most);
    if (c->bias.value) gw_plan_needs(plan, GW_OP_column_sum);
}

static const gw_plan_op convolution_op = {.name = "convolution",
                                          .reads = GW_READS_NEAR,
                                          .forward = forward,
                                          .backward = backward,
                                          .size_scratch = size_scratch,
                                          .reads_in = true,
                                          .overwrites = 1};

int64_t gw_convolution_step_reach(const gw_step *step) {
    const gw_convolution *c = step->arguments;
    return (int64_t)(c->taps - 1) / 2 * c->dilation;
}

gw_status gw_convolution_step_reads(const gw_step *step, const gw_row_set *set, int64_t rows, gw_row_set *out) {
    const gw_convolution *c = step->arguments;
    bool is_dense = true; // taps leave no rows out
    for (int64_t i = 0; i < set->count; i++) is_dense &= set->range[i].end - set->range[i].begin >= c->dilation;
    if (is_dense) return gw_row_set_widen(set, gw_convolution_step_reach(step), rows, out);
    return gw_row_set_spread(set, c->taps, c->dilation, rows, out);
}

double gw_convolution_step_products(const gw_step *step) {
    const gw_convolution *c = step->arguments;
    return (double)(step->in[0].width * step->out[0].width / c->groups * c->taps);
}

// Below this bf16 products would mostly be of the zeros that they are filled up with.
enum { LEAST_WIDTH = 32 };

gw_precision gw_convolution_precision(const gw_convolution *convolution, int64_t in_width, int64_t width) {
    const int64_t inputs = in_width / convolution->groups, outputs = width / convolution->groups;
    return inputs < LEAST_WIDTH || outputs < LEAST_WIDTH ? GW_F32 : convolution->precision;
}

gw_tensor gw_plan_convolution(gw_plan *plan, gw_tensor in, gw_convolution convolution, int64_t width) {
    assert(convolution.taps % 2 == 1 && convolution.dilation > 0 && plan->rows[in.rows].stream == in.rows);
    assert(in.width % convolution.groups == 0 && width % convolution.groups == 0);
    convolution.precision = gw_convolution_precision(&convolution, in.width, width);
    const gw_tensor made =
        gw_plan_append(plan, &convolution_op, &convolution, sizeof convolution, &in, 1, in.rows, width);
    gw_plan_learns(plan, convolution.weight);
    gw_plan_learns(plan, convolution.bias);
    return made;
}
