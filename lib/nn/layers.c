// SPDX-License-Identifier: MIT
// The layers around the linear ones: layer norm, activations, gathering rows, embeddings, affine layers, dropout, sums.
#include "nn/layers.h"

#include "nn/steps.h"

#include <assert.h>

// But for in and its gradient. Kept: the mean and the inverse deviation of each row.
static gw_layer_norm_args norm_of(const gw_run *run, const gw_step *step, const gw_norm_arguments *a) {
    const gw_tensor out = step->out[0];
    return (gw_layer_norm_args){
        .rows = gw_run_rows(run, out),
        .width = out.width,
        .epsilon = (float)a->epsilon,
        .weight = a->norm.weight.value,
        .bias = a->norm.bias.value,
        .out = gw_value(run, out),
        .mean = step->saved,
        .inverse_deviation = step->saved + gw_plan_most(run->plan, out),
        .out_gradient = gw_gradient(run, out),
        .weight_gradient = a->norm.weight.gradient,
        .bias_gradient = a->norm.bias.gradient,
        .overwrites = step->overwrites,
        .scratch = step->scratch,
        .out_bf16 = gw_rounded(run, out),
    };
}

static gw_layer_norm_args norm_args(const gw_run *run, const gw_step *step) {
    gw_layer_norm_args args = norm_of(run, step, step->arguments);
    args.in = gw_value(run, step->in[0]);
    args.in_gradient = gw_gradient(run, step->in[0]);
    return args;
}

GW_STEP_FUNCTIONS(norm, layer_norm)

static gw_storage norm_storage(const gw_plan *plan, const gw_step *step) {
    const gw_layer_norm_args args = {.width = step->out[0].width};
    const bool both = plan->kernels->takes_bf16(GW_OP_layer_norm, &args);
    return (gw_storage){.makes = both ? GW_MAKES_BOTH : GW_MAKES_FLOATS};
}

static void size_norm_scratch(gw_plan *plan, gw_step *step) {
    const gw_layer_norm_args most = {.rows = gw_plan_most(plan, step->in[0]), .width = step->in[0].width};
    step->saved_floats = 2 * most.rows;
    gw_plan_launches(plan, step, GW_OP_layer_norm, &most);
    if (plan->training) gw_plan_launches(plan, step, GW_OP_layer_norm_backward, &most);
}

const gw_plan_op gw_norm_op = {.name = "layer_norm",
                               .reads = GW_READS_ROW,
                               .forward = norm_forward,
                               .backward = norm_backward,
                               .size_scratch = size_norm_scratch,
                               .storage = norm_storage,
                               .cheap = true,
                               .reads_in = true,
                               .overwrites = 1};

gw_tensor gw_plan_norm(gw_plan *plan, gw_tensor in, gw_norm norm, double epsilon) {
    const gw_norm_arguments arguments = {norm, epsilon};
    const gw_tensor made = gw_plan_append(plan, &gw_norm_op, &arguments, sizeof arguments, &in, 1, in.rows, in.width);
    gw_plan_learns(plan, norm.weight);
    gw_plan_learns(plan, norm.bias);
    return made;
}

static gw_activation_args activation_args(const gw_run *run, const gw_step *step) {
    const gw_tensor in = step->in[0];
    return (gw_activation_args){.kind = *(const gw_activation *)step->arguments,
                                .count = gw_run_rows(run, in) * in.width,
                                .in = gw_value(run, in),
                                .out = gw_value(run, step->out[0]),
                                .out_gradient = gw_gradient(run, step->out[0]),
                                .in_gradient = gw_gradient(run, in),
                                .width = in.width,
                                .in_bf16 = gw_rounded_alone(run, in),
                                .out_bf16 = gw_rounded(run, step->out[0]),
                                .out_gradient_bf16 = gw_rounded_gradient(run, step->out[0]),
                                .in_gradient_bf16 = gw_rounded_gradient(run, in)};
}

GW_STEP_FUNCTIONS(activation, activation)

static gw_storage activation_storage(const gw_plan *plan, const gw_step *step) {
    const gw_activation_args args = {.width = step->in[0].width};
    if (!plan->training || !plan->kernels->takes_bf16(GW_OP_activation, &args)) return (gw_storage){0};
    return (gw_storage){
        .takes = 1, .makes = GW_MAKES_EITHER, .rounded = gw_step_reads_bf16(plan, step, 0), .makes_gradients = 1};
}

static void size_activation_scratch(gw_plan *plan, gw_step *step) {
    (void)step;
    gw_plan_needs(plan, GW_OP_activation);
    if (plan->training) gw_plan_needs(plan, GW_OP_activation_backward);
}

const gw_plan_op gw_activation_op = {.name = "activation",
                                     .reads = GW_READS_ROW,
                                     .forward = activation_forward,
                                     .backward = activation_backward,
                                     .size_scratch = size_activation_scratch,
                                     .storage = activation_storage,
                                     .in_place = true,
                                     .gradient_in_place = true,
                                     .cheap = true,
                                     .reads_in = true};

gw_tensor gw_plan_activation(gw_plan *plan, gw_tensor in, gw_activation activation) {
    return gw_plan_append(plan, &gw_activation_op, &activation, sizeof activation, &in, 1, in.rows, in.width);
}

static gw_gate_args gate_args(const gw_run *run, const gw_step *step) {
    const gw_tensor gate = step->in[0], in = step->in[1];
    return (gw_gate_args){
        .count = gw_run_rows(run, in) * in.width,
        .gate = gw_value(run, gate),
        .in = gw_value(run, in),
        .out = gw_value(run, step->out[0]),
        .out_gradient = gw_gradient(run, step->out[0]),
        .gate_gradient = gw_gradient(run, gate),
        .in_gradient = gw_gradient(run, in),
        .overwrites = step->overwrites,
    };
}

GW_STEP_FUNCTIONS(gate, gate)

static const gw_plan_op gate_op = {.name = "gate",
                                   .reads = GW_READS_ROW,
                                   .forward = gate_forward,
                                   .backward = gate_backward,
                                   .in_place = true,
                                   .gradient_in_place = true,
                                   .cheap = true,
                                   .reads_in = true,
                                   .overwrites = 2};

gw_tensor gw_plan_gate(gw_plan *plan, gw_tensor gate, gw_tensor in) {
    assert(gate.rows == in.rows && gate.width == in.width);
    gw_plan_needs(plan, GW_OP_gate);
    if (plan->training) gw_plan_needs(plan, GW_OP_gate_backward);
    return gw_plan_append(plan, &gate_op, NULL, 0, (gw_tensor[]){gate, in}, 2, in.rows, in.width);
}

static gw_concatenate_args concatenate_args(const gw_run *run, const gw_step *step) {
    const gw_tensor first = step->in[0], second = step->in[1];
    return (gw_concatenate_args){
        .rows = gw_run_rows(run, first),
        .first_width = first.width,
        .second_width = second.width,
        .first = gw_value(run, first),
        .second = gw_value(run, second),
        .out = gw_value(run, step->out[0]),
        .out_gradient = gw_gradient(run, step->out[0]),
        .first_gradient = gw_gradient(run, first),
        .second_gradient = gw_gradient(run, second),
    };
}

GW_STEP_FUNCTIONS(concatenate, concatenate)

static const gw_plan_op concatenate_op = {
    .name = "concatenate", .reads = GW_READS_ROW, .forward = concatenate_forward, .backward = concatenate_backward};

gw_tensor gw_plan_concatenate(gw_plan *plan, gw_tensor first, gw_tensor second) {
    assert(first.rows == second.rows);
    gw_plan_needs(plan, GW_OP_concatenate);
    if (plan->training) gw_plan_needs(plan, GW_OP_concatenate_backward);
    return gw_plan_append(plan, &concatenate_op, NULL, 0, (gw_tensor[]){first, second}, 2, first.rows,
                          first.width + second.width);
}

// Rows that stand within the rows of `whole`, on their way out of these or into them.
static gw_rows_args picked_args(const gw_run *run, gw_tensor picked, gw_tensor whole, const float *in, float *out) {
    return (gw_rows_args){
        .rows = gw_run_rows(run, picked),
        .width = whole.width,
        .index = gw_run_inputs(run, picked.rows)->row,
        .in = in,
        .in_stride = whole.width,
        .out = out,
        .out_stride = whole.width,
        .out_rows = gw_run_rows(run, whole),
    };
}

static gw_status gather_forward(const gw_run *run, const gw_step *step) {
    const gw_tensor in = step->in[0], out = step->out[0];
    const gw_rows_args args = picked_args(run, out, in, gw_value(run, in), gw_value(run, out));
    return run->kernels->gather_rows(&args);
}

static gw_status gather_backward(const gw_run *run, const gw_step *step) {
    const gw_tensor in = step->in[0], out = step->out[0];
    const gw_rows_args args = picked_args(run, out, in, gw_gradient(run, out), gw_gradient(run, in));
    return run->kernels->scatter_add_rows(&args);
}

static const gw_plan_op gather_op = {
    .name = "gather_rows", .reads = GW_READS_PICKED, .forward = gather_forward, .backward = gather_backward};

gw_tensor gw_plan_gather(gw_plan *plan, gw_tensor in, int rows) {
    if (in.rows == rows) return in;
    assert(plan->rows[rows].stream == in.rows || plan->rows[rows].within == in.rows);
    gw_plan_needs(plan, GW_OP_gather_rows);
    if (plan->training) gw_plan_needs(plan, GW_OP_scatter_add_rows);
    return gw_plan_append(plan, &gather_op, NULL, 0, &in, 1, rows, in.width);
}

static gw_status merge_forward(const gw_run *run, const gw_step *step) {
    const gw_tensor out = step->out[0];
    GW_TRY(run->kernels->zero(gw_value(run, out), gw_run_rows(run, out) * out.width * (int64_t)sizeof(float)));
    for (int k = 0; k < step->ins; k++) {
        const gw_tensor in = step->in[k];
        const gw_rows_args args = picked_args(run, in, out, gw_value(run, in), gw_value(run, out));
        GW_TRY(run->kernels->scatter_add_rows(&args));
    }
    return GW_OK;
}

static gw_status merge_backward(const gw_run *run, const gw_step *step) {
    for (int k = 0; k < step->ins; k++) {
        const gw_tensor in = step->in[k], out = step->out[0];
        gw_rows_args args = picked_args(run, in, out, gw_gradient(run, out), gw_gradient(run, in));
        args.accumulate = true;
        GW_TRY(run->kernels->gather_rows(&args));
    }
    return GW_OK;
}

static const gw_plan_op merge_op = {
    .name = "merge_rows", .reads = GW_READS_SEQUENCE, .forward = merge_forward, .backward = merge_backward};

gw_tensor gw_plan_merge(gw_plan *plan, const gw_tensor in[2], int stream) {
    assert(plan->rows[in[0].rows].within == stream && plan->rows[in[1].rows].within == stream);
    assert(in[0].width == in[1].width);
    gw_plan_needs(plan, GW_OP_scatter_add_rows);
    if (plan->training) gw_plan_needs(plan, GW_OP_gather_rows);
    return gw_plan_append(plan, &merge_op, NULL, 0, in, 2, stream, in[0].width);
}

static gw_embedding_args embedding_args(const gw_run *run, const gw_step *step) {
    const gw_embedding *e = step->arguments;
    const gw_tensor out = step->out[0];
    const gw_rows *stream = gw_run_inputs(run, out.rows);
    return (gw_embedding_args){
        .rows = stream->count,
        .width = out.width,
        .token = stream->token,
        .position = stream->position,
        .segment = stream->segment,
        .token_scale = (float)e->token_scale,
        .row_scale = e->token.value ? stream->scale : NULL,
        .token_embedding = e->token.value,
        .position_embedding = e->position.value,
        .segment_embedding = e->segment.value,
        .out = gw_value(run, out),
        .out_gradient = gw_gradient(run, out),
        .token_gradient = e->token.gradient,
        .position_gradient = e->position.gradient,
        .segment_gradient = e->segment.gradient,
        .vocabulary = e->vocabulary,
        .positions = e->positions,
        .segments = e->segments,
    };
}

GW_STEP_FUNCTIONS(embedding, embedding)

static const gw_plan_op embedding_op = {.name = "embedding",
                                        .reads = GW_READS_ROW,
                                        .reads_batch = true,
                                        .forward = embedding_forward,
                                        .backward = embedding_backward};

gw_tensor gw_plan_embedding(gw_plan *plan, gw_embedding embedding, int64_t width, int stream) {
    gw_plan_needs(plan, GW_OP_embedding);
    if (plan->training) gw_plan_needs(plan, GW_OP_embedding_backward);
    const gw_tensor made = gw_plan_append(plan, &embedding_op, &embedding, sizeof embedding, NULL, 0, stream, width);
    gw_plan_learns(plan, embedding.token);
    gw_plan_learns(plan, embedding.position);
    gw_plan_learns(plan, embedding.segment);
    return made;
}

static gw_tensor look_up(gw_plan *plan, gw_tensor in, gw_weight table, int64_t positions) {
    const gw_embedding embedding = {.position = table, .positions = positions};
    return gw_plan_embedding(plan, embedding, in.width, in.rows);
}

gw_tensor gw_plan_add_places(gw_plan *plan, gw_tensor in, gw_weight table, int64_t positions) {
    return gw_plan_sum(plan, look_up(plan, in, table, positions), in);
}

gw_tensor gw_plan_weigh_places(gw_plan *plan, gw_tensor in, gw_weight table, int64_t positions) {
    return gw_plan_gate(plan, look_up(plan, in, table, positions), in);
}

// An affine layer computes its values again in the backward pass: nothing is kept but the input.

typedef struct {
    gw_norm affine;
    double slope;
} affine_arguments;

static gw_affine_args affine_args(const gw_run *run, const gw_step *step) {
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

GW_STEP_FUNCTIONS(affine, affine)

static void affine_size_scratch(gw_plan *plan, gw_step *step) {
    const gw_affine_args most = {.rows = gw_plan_most(plan, step->in[0]), .width = step->in[0].width};
    gw_plan_launches(plan, step, GW_OP_affine, &most);
    if (plan->training) gw_plan_launches(plan, step, GW_OP_affine_backward, &most);
}

static const gw_plan_op affine_op = {.name = "affine",
                                     .reads = GW_READS_ROW,
                                     .forward = affine_forward,
                                     .backward = affine_backward,
                                     .size_scratch = affine_size_scratch,
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

// Dropout, and residual sums: out = in + residual, where in may be dropped on the way.

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

static gw_status sum_forward(const gw_run *run, const gw_step *step) {
    gw_dropout_args args = dropout_arguments(run, step);
    args.in = gw_value(run, step->in[0]);
    args.in_bf16 = gw_rounded_alone(run, step->in[0]);
    if (step->ins > 1) args.residual = gw_value(run, step->in[1]);
    args.out = gw_value(run, step->out[0]);
    return run->kernels->dropout_add(&args);
}

static gw_status sum_backward(const gw_run *run, const gw_step *step) {
    gw_dropout_args args = dropout_arguments(run, step);
    args.out_gradient = gw_gradient(run, step->out[0]);
    if (step->ins > 1) args.residual_gradient = gw_gradient(run, step->in[1]);
    args.overwrites = step->overwrites;
    // A gradient that passes through whole and in place is there already.
    if (args.probability > 0 || gw_gradient(run, step->in[0]) != args.out_gradient)
        args.in_gradient = gw_gradient(run, step->in[0]);
    args.in_gradient_bf16 = gw_rounded_gradient(run, step->in[0]);
    return run->kernels->dropout_add_backward(&args);
}

static void sum_size_scratch(gw_plan *plan, gw_step *step) {
    (void)step;
    gw_plan_needs(plan, GW_OP_dropout_add);
    if (plan->training) gw_plan_needs(plan, GW_OP_dropout_add_backward);
}

static gw_storage sum_storage(const gw_plan *plan, const gw_step *step) {
    const gw_dropout_args args = {.width = step->in[0].width};
    if (!plan->training || !plan->kernels->takes_bf16(GW_OP_dropout_add, &args)) return (gw_storage){0};
    return (gw_storage){.takes = 1, .makes_gradients = 1};
}

const gw_plan_op gw_dropout_op = {.name = "dropout",
                                  .reads = GW_READS_ROW,
                                  .forward = sum_forward,
                                  .backward = sum_backward,
                                  .size_scratch = sum_size_scratch,
                                  .in_place = true,
                                  .gradient_in_place = true};

const gw_plan_op gw_sum_op = {.name = "sum",
                              .reads = GW_READS_ROW,
                              .forward = sum_forward,
                              .backward = sum_backward,
                              .size_scratch = sum_size_scratch,
                              .storage = sum_storage,
                              .in_place = true,
                              .gradient_in_place = true,
                              .overwrites = 2};

// Kept as of a norm, and behind it the sum.
static gw_layer_norm_args sum_norm_args(const gw_run *run, const gw_step *step, gw_dropout_args *sum) {
    const gw_tensor in = step->in[0], residual = step->in[1];
    gw_layer_norm_args args = norm_of(run, step, &((const gw_sum_norm_arguments *)step->arguments)->norm);
    *sum = dropout_arguments(run, step);
    sum->in = gw_value(run, in);
    sum->in_bf16 = gw_rounded_alone(run, in);
    sum->residual = gw_value(run, residual);
    sum->out = step->saved + 2 * gw_plan_most(run->plan, in);
    sum->in_gradient = gw_gradient(run, in);
    sum->in_gradient_bf16 = gw_rounded_gradient(run, in);
    sum->out_gradient = sum->residual_gradient = args.in_gradient = gw_gradient(run, residual);
    args.in = sum->out;
    args.sum = sum;
    return args;
}

static gw_status sum_norm_forward(const gw_run *run, const gw_step *step) {
    gw_dropout_args sum;
    const gw_layer_norm_args args = sum_norm_args(run, step, &sum);
    return run->kernels->layer_norm(&args);
}

static gw_status sum_norm_backward(const gw_run *run, const gw_step *step) {
    gw_dropout_args sum;
    const gw_layer_norm_args args = sum_norm_args(run, step, &sum);
    assert(step->overwrites);
    return run->kernels->layer_norm_backward(&args);
}

static void size_sum_norm_scratch(gw_plan *plan, gw_step *step) {
    size_norm_scratch(plan, step);
    step->saved_floats += gw_plan_most(plan, step->in[0]) * step->in[0].width;
}

static gw_storage sum_norm_storage(const gw_plan *plan, const gw_step *step) {
    gw_storage storage = sum_storage(plan, step);
    storage.makes = norm_storage(plan, step).makes;
    return storage;
}

const gw_plan_op gw_sum_norm_op = {.name = "sum+layer_norm",
                                   .reads = GW_READS_ROW,
                                   .forward = sum_norm_forward,
                                   .backward = sum_norm_backward,
                                   .size_scratch = size_sum_norm_scratch,
                                   .storage = sum_norm_storage,
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
