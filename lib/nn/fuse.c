// SPDX-License-Identifier: MIT
// Joins steps that one op does together, where nobody else reads what lies between them: a dropout and the sum that
// follows it; with bf16 training an activation and the linear layer that reads it; over packed weights a linear layer,
// its activation, the sum with a residual and the norm of that; a layer and the one that follows it; and layers of one
// input. The joined step stands where the last of its parts stood. Those that were joined to others have no op, until
// the list is closed up.
#include "nn/steps.h"

// The only step that reads the tensor, or NULL.
static gw_step *only_reader(gw_plan *plan, gw_tensor tensor) {
    gw_step *reader = NULL;
    if (plan->tensors[tensor.id].output) return NULL;
    for (int64_t i = 0; i < plan->count; i++) {
        gw_step *step = &plan->steps[i];
        for (int k = 0; step->op && k < step->ins; k++) {
            if (step->in[k].id != tensor.id) continue;
            if (reader) return NULL;
            reader = step;
        }
    }
    return reader;
}

// The only reader of a step's result, where it is of that op and reads it as its first input.
static gw_step *follower(gw_plan *plan, const gw_step *step, const gw_plan_op *op) {
    gw_step *reader = only_reader(plan, step->out[0]);
    return reader && reader->op == op && reader->in[0].id == step->out[0].id ? reader : NULL;
}

static void list_parts(const gw_step *first, gw_step *second) {
    const gw_step then = *second;
    for (int i = 0; i < first->parts; i++) second->part[i] = first->part[i];
    for (int i = 0; i < then.parts; i++) second->part[first->parts + i] = then.part[i];
    second->parts = first->parts + then.parts;
}

// The first step ends in the second, which has its place and result.
static void end_in(gw_step *first, gw_step *second) {
    list_parts(first, second);
    second->op = first->op;
    second->arguments = first->arguments;
    second->ins = first->ins;
    for (int k = 0; k < first->ins; k++) second->in[k] = first->in[k];
    first->op = NULL;
}

// The second step begins with the first, and reads what that read.
static void begin_with(gw_step *first, gw_step *second) {
    list_parts(first, second);
    second->in[0] = first->in[0];
    first->op = NULL;
}

static void join_dropout(gw_plan *plan, gw_step *step) {
    gw_step *sum = follower(plan, step, &gw_sum_op);
    if (!sum) return;
    sum->arguments = step->arguments;
    begin_with(step, sum);
}

// Whether products apply an activation on the way (kernels/activation.h).
static bool products_apply(gw_activation activation) {
    return activation != GW_ACTIVATION_SIGMOID && activation != GW_ACTIVATION_ELU_PLUS_ONE;
}

static void join_product(gw_plan *plan, gw_step *step) {
    gw_step *linear = follower(plan, step, &gw_linear_op);
    gw_linear_arguments *a = linear ? linear->arguments : NULL;
    if (!linear || !products_apply(*(const gw_activation *)step->arguments)) return;
    if (a->linear[0].precision != GW_BF16 || !only_reader(plan, step->in[0])) return;
    a->of = *(const gw_activation *)step->arguments;
    begin_with(step, linear);
}

// These return where the step has come to.
static gw_step *join_activation(gw_plan *plan, gw_step *step) {
    gw_step *activation = follower(plan, step, &gw_activation_op);
    if (!activation || !products_apply(*(const gw_activation *)activation->arguments)) return step;
    ((gw_linear_arguments *)step->arguments)->activation = *(const gw_activation *)activation->arguments;
    end_in(step, activation);
    return activation;
}

static gw_step *join_sum(gw_plan *plan, gw_step *step) {
    gw_step *sum = follower(plan, step, &gw_sum_op);
    if (!sum) return step;
    step->in[step->ins++] = sum->in[1];
    end_in(step, sum);
    return sum;
}

static void join_norm(gw_plan *plan, gw_step *step) {
    gw_step *norm = follower(plan, step, &gw_norm_op);
    if (!norm || step->ins < 2) return;
    const gw_norm_arguments *of_norm = norm->arguments;
    gw_linear_arguments *a = step->arguments;
    a->norm = of_norm->norm;
    a->epsilon = of_norm->epsilon;
    end_in(step, norm);
}

// A tile of the first layer's result stays in the cache as bf16; f32 would push out all else, and is better kept whole.
static void join_layer(gw_plan *plan, gw_step *step) {
    gw_step *outer = follower(plan, step, &gw_packed_op);
    const gw_linear_arguments *a = step->arguments;
    if (!outer || step->ins > 1 || outer->ins < 2 || a->feed_forward.packed || a->linear[0].precision != GW_BF16)
        return;
    ((gw_linear_arguments *)outer->arguments)->feed_forward = a->linear[0];
    ((gw_linear_arguments *)outer->arguments)->feed_forward_activation = a->activation;
    begin_with(step, outer);
}

static bool is_single_layer(const gw_step *step) {
    return step->op == &gw_packed_op && step->parts == step->outs;
}

// The next step is another layer of the same input.
static bool joins_next(gw_step *step, const gw_step *next) {
    if (!is_single_layer(step) || !is_single_layer(next) || step->outs == GW_LINEAR_OUTS) return false;
    if (step->in[0].id != next->in[0].id || step->out[0].width != next->out[0].width) return false;
    ((gw_linear_arguments *)step->arguments)->linear[step->outs] = ((gw_linear_arguments *)next->arguments)->linear[0];
    step->out[step->outs++] = next->out[0];
    step->part[step->parts++] = next->op;
    return true;
}

static void close_up(gw_plan *plan) {
    int64_t count = 0;
    for (int64_t i = 0; i < plan->count; i++)
        if (plan->steps[i].op && (count == 0 || !joins_next(&plan->steps[count - 1], &plan->steps[i])))
            plan->steps[count++] = plan->steps[i];
    plan->count = count;
}

void gw_plan_fuse(gw_plan *plan) {
    for (int64_t i = 0; i < plan->count; i++) {
        gw_step *step = &plan->steps[i];
        if (!step->op || step->parts > 1) continue;
        if (step->op == &gw_dropout_op) join_dropout(plan, step);
        else if (step->op == &gw_activation_op) join_product(plan, step);
        else if (step->op == &gw_packed_op) join_norm(plan, join_sum(plan, join_activation(plan, step)));
    }
    for (int64_t i = 0; i < plan->count; i++)
        if (plan->steps[i].op == &gw_packed_op) join_layer(plan, &plan->steps[i]);
    close_up(plan);
}
