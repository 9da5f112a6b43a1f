// SPDX-License-Identifier: MIT
// Layers of each head's own, and the block matrix.
#include "nn/sbm_memberships.h"

#include "nn/head_linear.h"

// Not gw_activation_op, which is cheap: its result is made anew in the backward pass, and what graphs were drawn from
// has to stay.
static gw_activation_args sigmoid_arguments(const gw_run *run, const gw_step *step) {
    const gw_tensor in = step->in[0], out = step->out[0];
    return (gw_activation_args){.kind = GW_ACTIVATION_SIGMOID,
                                .count = gw_run_rows(run, in) * in.width,
                                .in = gw_value(run, in),
                                .out = gw_value(run, out),
                                .out_gradient = gw_gradient(run, out),
                                .in_gradient = gw_gradient(run, in)};
}

static gw_status sigmoid_forward(const gw_run *run, const gw_step *step) {
    const gw_activation_args args = sigmoid_arguments(run, step);
    return run->kernels->activation(&args);
}

static gw_status sigmoid_backward(const gw_run *run, const gw_step *step) {
    const gw_activation_args args = sigmoid_arguments(run, step);
    return run->kernels->activation_backward(&args);
}

static const gw_plan_op sigmoid_op = {.name = "sigmoid",
                                      .forward = sigmoid_forward,
                                      .backward = sigmoid_backward,
                                      .in_place = true,
                                      .gradient_in_place = true,
                                      .reads_in = true};

// B of all heads, which is no tensor of a stream: a step without inputs makes it, whose backward step runs after all
// that read it.
typedef struct {
    gw_weight clusters, block; // [heads K][D], [heads][K][K]
    int heads, count;
    int64_t size;
} block_arguments;

static gw_pair_softmax_args block_arguments_of(const gw_step *step) {
    const block_arguments *a = step->arguments;
    return (gw_pair_softmax_args){.heads = a->heads,
                                  .count = a->count,
                                  .size = (int)a->size,
                                  .in = a->clusters.value,
                                  .out = a->block.value,
                                  .out_gradient = a->block.gradient,
                                  .in_gradient = a->clusters.gradient,
                                  .scratch = step->scratch};
}

static gw_status block_forward(const gw_run *run, const gw_step *step) {
    const block_arguments *a = step->arguments;
    const gw_pair_softmax_args args = block_arguments_of(step);
    if (a->block.gradient)
        GW_TRY(run->kernels->zero(a->block.gradient, (int64_t)a->heads * a->count * a->count * (int64_t)sizeof(float)));
    return run->kernels->pair_softmax(&args);
}

static gw_status block_backward(const gw_run *run, const gw_step *step) {
    const gw_pair_softmax_args args = block_arguments_of(step);
    (void)run;
    return run->kernels->pair_softmax_backward(&args);
}

static void size_block_scratch(gw_plan *plan, gw_step *step) {
    const gw_pair_softmax_args args = block_arguments_of(step);
    gw_plan_launches(plan, step, GW_OP_pair_softmax, &args);
    if (plan->training) gw_plan_launches(plan, step, GW_OP_pair_softmax_backward, &args);
}

static const gw_plan_op block_op = {
    .name = "pair_softmax", .forward = block_forward, .backward = block_backward, .size_scratch = size_block_scratch};

gw_tensor gw_plan_sbm_memberships(gw_plan *plan, gw_tensor in, const gw_sbm_weights *w, gw_sbm_size size) {
    const int64_t width = in.width / size.heads;
    const gw_weight none = {NULL, NULL};
    gw_tensor x = gw_plan_head_linear(plan, in, w->nodes.weight, w->nodes.bias, size.heads, size.shared, width);
    x = gw_plan_activation(plan, x, GW_ACTIVATION_RELU);
    x = gw_plan_head_linear(plan, x, w->nodes_last.weight, w->nodes_last.bias, size.heads, size.shared, width);
    x = gw_plan_head_linear(plan, x, w->clusters, none, size.heads, false, size.clusters);
    gw_plan_needs(plan, GW_OP_activation);
    if (plan->training) gw_plan_needs(plan, GW_OP_activation_backward);
    return gw_plan_append(plan, &sigmoid_op, NULL, 0, &x, 1, x.rows, x.width);
}

gw_weight gw_plan_sbm_blocks(gw_plan *plan, int rows, int64_t head_size, const gw_sbm_weights *w, gw_sbm_size size) {
    const int64_t floats = (int64_t)size.heads * size.clusters * size.clusters;
    const gw_weight block = {gw_plan_memory(plan, floats, sizeof(float)),
                             plan->training ? gw_plan_memory(plan, floats, sizeof(float)) : NULL};
    const block_arguments arguments = {w->clusters, block, size.heads, size.clusters, head_size};
    gw_plan_append(plan, &block_op, &arguments, sizeof arguments, NULL, 0, rows, 0);
    gw_plan_learns(plan, w->clusters);
    return block;
}
