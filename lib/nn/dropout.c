// SPDX-License-Identifier: MIT
// Dropout in place, with or without a residual, and into a tensor of its own.
#include "nn/layers.h"

#include <assert.h>

typedef struct {
    gw_tensor tensor, residual;
    bool has_residual, overwrites; // the residual's gradient
    gw_dropout dropout;
    int stream;
} dropout_step;

// Rows of a row set lie apart in their stream, and are drawn as rows of that.
static gw_dropout_args dropout_arguments(const gw_run *run, const dropout_step *step) {
    return (gw_dropout_args){
        .count = gw_run_rows(run, step->tensor) * step->tensor.width,
        .probability = (float)step->dropout.probability,
        .seed = run->seed,
        .step = run->batch->step,
        .site = step->dropout.site,
        .first_element = run->batch->of[step->stream].first * step->tensor.width,
        .row = run->batch->of[step->tensor.rows].row,
        .width = step->tensor.width,
    };
}

static gw_status dropout_forward(const gw_run *run, const void *arguments) {
    const dropout_step *step = arguments;
    gw_dropout_args args = dropout_arguments(run, step);
    args.in = args.out = step->tensor.value;
    if (step->has_residual) args.residual = step->residual.value;
    return run->kernels->dropout_add(&args);
}

static gw_status dropout_backward(const gw_run *run, const void *arguments) {
    const dropout_step *step = arguments;
    gw_dropout_args args = dropout_arguments(run, step);
    args.out_gradient = step->tensor.gradient;
    if (step->has_residual) args.residual_gradient = step->residual.gradient;
    args.overwrites = step->overwrites;
    if (step->dropout.probability > 0) args.in_gradient = step->tensor.gradient;
    return run->kernels->dropout_add_backward(&args);
}

void gw_plan_dropout(gw_plan *plan, gw_tensor tensor, const gw_tensor *residual, gw_dropout dropout) {
    assert(!plan->training || tensor.maker < 0);
    assert(!residual || !plan->training || plan->rows[tensor.rows].stream == tensor.rows);
    if (!plan->training) dropout.probability = 0;
    if (!residual && dropout.probability == 0) return;
    dropout_step step = {.tensor = tensor, .has_residual = residual != NULL, .dropout = dropout};
    step.stream = plan->rows[tensor.rows].stream;
    if (residual) step.residual = *residual;
    dropout_step *appended = gw_plan_append(plan, tensor.rows, dropout_forward, dropout_backward, &step, sizeof step);
    if (residual) gw_plan_can_overwrite(plan, *residual, appended ? &appended->overwrites : NULL);
}

typedef struct {
    gw_tensor in, out;
    gw_dropout dropout;
} dropped_step;

static gw_dropout_args dropped_arguments(const gw_run *run, const dropped_step *step) {
    const dropout_step same = {.tensor = step->in, .dropout = step->dropout, .stream = step->in.rows};
    return dropout_arguments(run, &same);
}

static gw_status dropped_forward(const gw_run *run, const void *arguments) {
    const dropped_step *step = arguments;
    gw_dropout_args args = dropped_arguments(run, step);
    args.in = step->in.value;
    args.out = step->out.value;
    return run->kernels->dropout_add(&args);
}

static gw_status dropped_backward(const gw_run *run, const void *arguments) {
    const dropped_step *step = arguments;
    gw_dropout_args args = dropped_arguments(run, step);
    args.out_gradient = step->out.gradient;
    args.in_gradient = step->in.gradient;
    return run->kernels->dropout_add_backward(&args);
}

gw_tensor gw_plan_dropped(gw_plan *plan, gw_tensor in, gw_dropout dropout) {
    assert(plan->training && plan->rows[in.rows].stream == in.rows);
    const dropped_step step = {in, gw_plan_tensor(plan, in.rows, in.width, true), dropout};
    gw_plan_append(plan, in.rows, dropped_forward, dropped_backward, &step, sizeof step);
    return step.out;
}
