// SPDX-License-Identifier: MIT
// The layers around the linear ones: layer norm, activations, gathering rows, embeddings.
#include "nn/layers.h"

#include <assert.h>

typedef struct {
    gw_tensor in, out;
    gw_norm norm;
    float epsilon;
    float *mean, *inverse_deviation; // [rows]
    float *scratch;
    bool overwrites;
} norm_step;

static gw_layer_norm_args norm_arguments(const gw_run *run, const norm_step *step) {
    return (gw_layer_norm_args){
        .rows = gw_run_rows(run, step->in),
        .width = step->in.width,
        .epsilon = step->epsilon,
        .in = step->in.value,
        .weight = step->norm.weight.value,
        .bias = step->norm.bias.value,
        .out = step->out.value,
        .mean = step->mean,
        .inverse_deviation = step->inverse_deviation,
        .out_gradient = step->out.gradient,
        .in_gradient = step->in.gradient,
        .weight_gradient = step->norm.weight.gradient,
        .bias_gradient = step->norm.bias.gradient,
        .overwrites = step->overwrites,
        .scratch = step->scratch,
    };
}

static gw_status norm_forward(const gw_run *run, const void *arguments) {
    const gw_layer_norm_args args = norm_arguments(run, arguments);
    return run->kernels->layer_norm(&args);
}

static gw_status norm_backward(const gw_run *run, const void *arguments) {
    const gw_layer_norm_args args = norm_arguments(run, arguments);
    return run->kernels->layer_norm_backward(&args);
}

gw_tensor gw_plan_norm(gw_plan *plan, gw_tensor in, gw_norm norm, double epsilon, bool kept) {
    norm_step step = {.in = in, .norm = norm, .epsilon = (float)epsilon};
    const bool in_kept = in.maker < 0; // made again from what is kept only
    step.out = gw_plan_tensor(plan, in.rows, in.width, kept || !in_kept);
    step.mean = gw_plan_kept(plan, gw_plan_most(plan, in));
    step.inverse_deviation = gw_plan_kept(plan, gw_plan_most(plan, in));
    if (plan->training) step.scratch = gw_plan_scratch(plan, gw_layer_norm_scratch(in.width));
    norm_step *appended = gw_plan_append(plan, in.rows, norm_forward, norm_backward, &step, sizeof step);
    gw_plan_can_overwrite(plan, in, appended ? &appended->overwrites : NULL);
    return step.out;
}

typedef struct {
    gw_tensor in, out;
    gw_activation activation;
} activation_step;

static gw_unary_args activation_arguments(const gw_run *run, const activation_step *step) {
    return (gw_unary_args){
        .count = gw_run_rows(run, step->in) * step->in.width,
        .in = step->in.value,
        .out = step->out.value,
        .out_gradient = step->out.gradient,
        .in_gradient = step->in.gradient, // the same memory: the product replaces it
    };
}

static gw_status activation_forward(const gw_run *run, const void *arguments) {
    const activation_step *step = arguments;
    const gw_unary_args args = activation_arguments(run, step);
    switch (step->activation) {
    case GW_ACTIVATION_GELU_EXACT: return run->kernels->gelu_exact(&args);
    case GW_ACTIVATION_RELU: return run->kernels->relu(&args);
    case GW_ACTIVATION_TANH: return run->kernels->tanh(&args);
    default: return run->kernels->gelu(&args);
    }
}

static gw_status activation_backward(const gw_run *run, const void *arguments) {
    const activation_step *step = arguments;
    const gw_unary_args args = activation_arguments(run, step);
    switch (step->activation) {
    case GW_ACTIVATION_GELU_EXACT: return run->kernels->gelu_exact_backward(&args);
    case GW_ACTIVATION_RELU: return run->kernels->relu_backward(&args);
    case GW_ACTIVATION_TANH: return run->kernels->tanh_backward(&args);
    default: return run->kernels->gelu_backward(&args);
    }
}

gw_tensor gw_plan_activation(gw_plan *plan, gw_tensor in, gw_activation activation, bool kept) {
    const activation_step step = {in, gw_plan_successor(plan, in, kept), activation};
    gw_plan_append(plan, in.rows, activation_forward, activation_backward, &step, sizeof step);
    return step.out;
}

void gw_plan_activation_backward(gw_plan *plan, gw_tensor in, gw_activation activation) {
    const activation_step step = {in, in, activation};
    gw_plan_append(plan, in.rows, NULL, activation_backward, &step, sizeof step);
}

typedef struct {
    gw_tensor in, out;
} gather_step;

static gw_rows_args gather_arguments(const gw_run *run, const gather_step *step) {
    return (gw_rows_args){
        .rows = gw_run_rows(run, step->out),
        .width = step->in.width,
        .index = run->batch->of[step->out.rows].row,
        .in_stride = step->in.width,
        .out_stride = step->in.width,
        .out_rows = gw_run_rows(run, step->in),
    };
}

static gw_status gather_forward(const gw_run *run, const void *arguments) {
    const gather_step *step = arguments;
    gw_rows_args args = gather_arguments(run, step);
    args.in = step->in.value;
    args.out = step->out.value;
    return run->kernels->gather_rows(&args);
}

static gw_status gather_backward(const gw_run *run, const void *arguments) {
    const gather_step *step = arguments;
    gw_rows_args args = gather_arguments(run, step);
    args.in = step->out.gradient;
    args.out = step->in.gradient;
    return run->kernels->scatter_add_rows(&args);
}

gw_tensor gw_plan_gather(gw_plan *plan, gw_tensor in, int rows) {
    assert(plan->rows[rows].stream == in.rows);
    const gather_step step = {in, gw_plan_tensor(plan, rows, in.width, true)};
    gw_plan_append(plan, rows, gather_forward, gather_backward, &step, sizeof step);
    return step.out;
}

typedef struct {
    gw_embedding embedding;
    gw_tensor out;
} embedding_step;

static gw_embedding_args embedding_arguments(const gw_run *run, const embedding_step *step) {
    const gw_embedding *e = &step->embedding;
    const gw_rows *stream = &run->batch->of[step->out.rows];
    return (gw_embedding_args){
        .rows = stream->count,
        .width = step->out.width,
        .token = stream->token,
        .position = stream->position,
        .segment = stream->segment,
        .token_scale = (float)e->token_scale,
        .token_embedding = e->token.value,
        .position_embedding = e->position.value,
        .segment_embedding = e->segment.value,
        .out = step->out.value,
        .out_gradient = step->out.gradient,
        .token_gradient = e->token.gradient,
        .position_gradient = e->position.gradient,
        .segment_gradient = e->segment.gradient,
        .vocabulary = e->vocabulary,
        .positions = e->positions,
        .segments = e->segments,
    };
}

static gw_status embedding_forward(const gw_run *run, const void *arguments) {
    const gw_embedding_args args = embedding_arguments(run, arguments);
    return run->kernels->embedding(&args);
}

static gw_status embedding_backward(const gw_run *run, const void *arguments) {
    const gw_embedding_args args = embedding_arguments(run, arguments);
    return run->kernels->embedding_backward(&args);
}

gw_tensor gw_plan_embedding(gw_plan *plan, gw_embedding embedding, int64_t width, int stream) {
    const embedding_step step = {embedding, gw_plan_tensor(plan, stream, width, true)};
    gw_plan_append(plan, stream, embedding_forward, embedding_backward, &step, sizeof step);
    return step.out;
}
