// SPDX-License-Identifier: MIT
// Values are computed again in the backward pass: nothing is kept but the input.
#include "nn/layers.h"

typedef struct {
    gw_norm affine;
    double slope;
} affine_arguments;

static gw_affine_args arguments_of(const gw_run *run, const gw_step *step) {
    const affine_arguments *a = step->arguments;
    const gw_tensor in = step->in[0], out = step->out[0];
    return (gw_affine_args){
        .rows = gw_run_rows(run, in),
        .width = in.width,
        .slope = (float)a->slope,
        .in = gw_value(run, in),
        .weight = a->affine.weight.value,
        .bias = a->affine.bias.value,
        .out = gw_value(run, out),
        .out_gradient = gw_gradient(run, out),
        .in_gradient = gw_gradient(run, in),
        .weight_gradient = a->affine.weight.gradient,
        .bias_gradient = a->affine.bias.gradient,
        .overwrites = step->overwrites,
        .scratch = step->scratch,
    };
}

static gw_status forward(const gw_run *run, const gw_step *step) {
    const gw_affine_args args = arguments_of(run, step);
    return run->kernels->affine(&args);
}

static gw_status backward(const gw_run *run, const gw_step *step) {
    const gw_affine_args args = arguments_of(run, step);
    return run->kernels->affine_backward(&args);
}

static void size_scratch(gw_plan *plan, gw_step *step) {
    const gw_affine_args most = {.rows = gw_plan_most(plan, step->in[0]), .width = step->in[0].width};
    gw_plan_launches(plan, step, GW_OP_affine, &most);
    if (plan->training) gw_plan_launches(plan, step, GW_OP_affine_backward, &most);
}

static const gw_plan_op affine_op = {.name = "affine",
                                     .reads = GW_READS_ROW,
                                     .forward = forward,
                                     .backward = backward,
                                     .size_scratch = size_scratch,
                                     .in_place = true,
                                     .cheap = true,
                                     .reads_in = true,
                                     .overwrites = 1};

gw_tensor gw_plan_affine(gw_plan *plan, gw_tensor in, gw_norm affine, double slope) {
    const affine_arguments arguments = {affine, slope};
    const gw_tensor made = gw_plan_append(plan, &affine_op, &arguments, sizeof arguments, &in, 1, in.rows, in.width);
    gw_plan_learns(plan, affine.weight);
    gw_plan_learns(plan, affine.bias);
    return made;
}
