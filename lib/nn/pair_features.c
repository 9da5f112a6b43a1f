// SPDX-License-Identifier: MIT
// The op as a plan entry.
#include "nn/pair_features.h"

static gw_pair_features_args arguments_of(const gw_run *run, const gw_step *step) {
    const gw_tensor in = step->in[0], out = step->out[0];
    return (gw_pair_features_args){.pairs = gw_run_rows(run, out),
                                   .width = in.width,
                                   .in = gw_value(run, in),
                                   .out = gw_value(run, out),
                                   .out_gradient = gw_gradient(run, out),
                                   .in_gradient = gw_gradient(run, in)};
}

static gw_status forward(const gw_run *run, const gw_step *step) {
    const gw_pair_features_args args = arguments_of(run, step);
    return run->kernels->pair_features(&args);
}

static gw_status backward(const gw_run *run, const gw_step *step) {
    const gw_pair_features_args args = arguments_of(run, step);
    return run->kernels->pair_features_backward(&args);
}

static const gw_plan_op pair_features_op = {
    .name = "pair features", .forward = forward, .backward = backward, .reads_in = true};

gw_tensor gw_plan_pair_features(gw_plan *plan, gw_tensor in, int pairs) {
    gw_plan_needs(plan, GW_OP_pair_features);
    if (plan->training) gw_plan_needs(plan, GW_OP_pair_features_backward);
    return gw_plan_append(plan, &pair_features_op, NULL, 0, &in, 1, pairs, 4 * in.width);
}
