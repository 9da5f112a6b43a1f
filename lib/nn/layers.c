// SPDX-License-Identifier: MIT
// The layers around the linear ones: layer norm, activations, dropout with residual, gathering rows, embeddings.
#include "nn/layers.h"

#include <assert.h>

typedef struct {
    gw_tensor in, out;
    gw_norm norm;
    float epsilon;
    float *mean, *inverse_deviation; // [rows]
    float *scratch;
} norm_step;

static gw_layer_norm_args norm_arguments(const gw_run *run, const norm_step *step) {
    return (gw_layer_norm_args){
        .rows = run->rows[step->in.rows],
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
    step.mean = gw_plan_kept(plan, plan->most[in.rows]);
    step.inverse_deviation = gw_plan_kept(plan, plan->most[in.rows]);
    if (plan->training) step.scratch = gw_plan_scratch(plan, gw_layer_norm_scratch(in.width));
    gw_plan_append(plan, in.rows, norm_forward, norm_backward, &step, sizeof step);
    return step.out;
}

typedef struct {
    gw_tensor in, out;
    gw_activation activation;
} activation_step;

static gw_unary_args activation_arguments(const gw_run *run, const activation_step *step) {
    return (gw_unary_args){
        .count = run->rows[step->in.rows] * step->in.width,
        .in = step->in.value,
        .out = step->out.value,
        .out_gradient = step->out.gradient,
        .in_gradient = step->in.gradient, // the same memory: the product replaces it
    };
}

static gw_status activation_forward(const gw_run *run, const void *arguments) {
    const activation_step *step = arguments;
    const gw_unary_args args = activation_arguments(run, step);
    return step->activation == GW_ACTIVATION_TANH ? run->kernels->tanh(&args) : run->kernels->gelu(&args);
}

static gw_status activation_backward(const gw_run *run, const void *arguments) {
    const activation_step *step = arguments;
    const gw_unary_args args = activation_arguments(run, step);
    return step->activation == GW_ACTIVATION_TANH ? run->kernels->tanh_backward(&args)
                                                  : run->kernels->gelu_backward(&args);
}

gw_tensor gw_plan_activation(gw_plan *plan, gw_tensor in, gw_activation activation, bool kept) {
    const activation_step step = {in, gw_plan_successor(plan, in, kept), activation};
    gw_plan_append(plan, in.rows, activation_forward, activation_backward, &step, sizeof step);
    return step.out;
}

typedef struct {
    gw_tensor tensor, residual;
    bool has_residual;
    gw_dropout dropout;
} dropout_step;

static gw_dropout_args dropout_arguments(const gw_run *run, const dropout_step *step, int64_t token_row) {
    return (gw_dropout_args){
        .count = run->rows[step->tensor.rows] * step->tensor.width,
        .probability = (float)step->dropout.probability,
        .seed = run->seed,
        .step = run->step,
        .place = step->dropout.place,
        .first_element = (run->first_token + token_row) * step->tensor.width,
    };
}

// Rows of sequences are first tokens, which lie apart: each row is a call with its token's element index.
static gw_status dropout_sequences(const gw_run *run, const dropout_step *step, float *data) {
    for (int64_t s = 0; s < run->rows[GW_ROWS_SEQUENCES]; s++) {
        gw_dropout_args args = dropout_arguments(run, step, run->start[s]);
        args.count = step->tensor.width;
        args.in = args.out = data + s * step->tensor.width;
        GW_TRY(run->kernels->dropout_add(&args));
    }
    return GW_OK;
}

static gw_status dropout_forward(const gw_run *run, const void *arguments) {
    const dropout_step *step = arguments;
    if (step->tensor.rows == GW_ROWS_SEQUENCES) return dropout_sequences(run, step, step->tensor.value);
    gw_dropout_args args = dropout_arguments(run, step, 0);
    args.in = args.out = step->tensor.value;
    if (step->has_residual) args.residual = step->residual.value;
    return run->kernels->dropout_add(&args);
}

// Dropout of a gradient is the same product as of a value.
static gw_status dropout_backward(const gw_run *run, const void *arguments) {
    const dropout_step *step = arguments;
    if (step->tensor.rows == GW_ROWS_SEQUENCES) return dropout_sequences(run, step, step->tensor.gradient);
    gw_dropout_args args = dropout_arguments(run, step, 0);
    args.out_gradient = step->tensor.gradient;
    if (step->has_residual) {
        args.residual_gradient = step->residual.gradient;
        GW_TRY(run->kernels->dropout_add_backward(&args));
        args.residual_gradient = NULL;
    }
    if (step->dropout.probability == 0) return GW_OK;
    args.in_gradient = step->tensor.gradient;
    return run->kernels->dropout_add_backward(&args);
}

void gw_plan_dropout(gw_plan *plan, gw_tensor tensor, const gw_tensor *residual, gw_dropout dropout) {
    assert(!plan->training || tensor.maker < 0);
    assert(!residual || tensor.rows == GW_ROWS_TOKENS);
    if (!plan->training) dropout.probability = 0;
    if (!residual && dropout.probability == 0) return;
    dropout_step step = {.tensor = tensor, .has_residual = residual != NULL, .dropout = dropout};
    if (residual) step.residual = *residual;
    gw_plan_append(plan, tensor.rows, dropout_forward, dropout_backward, &step, sizeof step);
}

typedef struct {
    gw_tensor in, out;
} gather_step;

static gw_rows_args gather_arguments(const gw_run *run, const gather_step *step) {
    return (gw_rows_args){
        .rows = run->rows[step->out.rows],
        .width = step->in.width,
        .index = run->row[step->out.rows],
        .in_stride = step->in.width,
        .out_stride = step->in.width,
        .out_rows = run->rows[step->in.rows],
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

gw_tensor gw_plan_gather(gw_plan *plan, gw_tensor in, gw_row_kind rows) {
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
    return (gw_embedding_args){
        .rows = run->rows[GW_ROWS_TOKENS],
        .width = step->out.width,
        .token = run->token,
        .place = run->position,
        .kind = run->segment,
        .word_scale = 1,
        .word = e->word.value,
        .position = e->position.value,
        .segment = e->segment.value,
        .out = step->out.value,
        .out_gradient = step->out.gradient,
        .word_gradient = e->word.gradient,
        .position_gradient = e->position.gradient,
        .segment_gradient = e->segment.gradient,
        .words = e->words,
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

gw_tensor gw_plan_embedding(gw_plan *plan, gw_embedding embedding, int64_t width) {
    const embedding_step step = {embedding, gw_plan_tensor(plan, GW_ROWS_TOKENS, width, true)};
    gw_plan_append(plan, GW_ROWS_TOKENS, embedding_forward, embedding_backward, &step, sizeof step);
    return step.out;
}
