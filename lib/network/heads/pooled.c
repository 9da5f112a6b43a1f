// SPDX-License-Identifier: MIT
// Parts that heads share: the row of a sequence, and the layers between it and the logits.
#include "network/heads/pooled.h"

#include "nn/convolution.h"

#include <assert.h>
#include <math.h>

// Rows of a sequence stand end to end in memory, so that a sequence of n rows of W values is one row of n W values, and
// sequences of the same length that follow each other are a matrix:
//
//     out = X F^T,   dF += dout^T X,   dX += dout F,   F the first n W columns of the weight.
typedef struct {
    gw_weight weight;
    int64_t stride; // of a row of the weight
} flatten_arguments;

// Sequences of the same length, the first of which begins at a row.
typedef struct {
    int64_t first, count, row, values;
} alike;

static bool next(const gw_run *run, const gw_step *step, alike *a) {
    const gw_rows *rows = gw_run_inputs(run, step->in[0].rows);
    const int64_t *start = rows->start, first = a->first + a->count;
    if (first >= rows->sequences) return false;
    const int64_t length = start[first + 1] - start[first];
    int64_t end = first + 1;
    while (end < rows->sequences && start[end + 1] - start[end] == length) end++;
    *a = (alike){first, end - first, start[first], length * step->in[0].width};
    return true;
}

static gw_status flatten_forward(const gw_run *run, const gw_step *step) {
    const flatten_arguments *f = step->arguments;
    const gw_tensor in = step->in[0], out = step->out[0];
    for (alike a = {0}; next(run, step, &a);)
        GW_TRY(run->kernels->gemm(&(gw_gemm_args){.transpose_b = true,
                                                  .m = a.count,
                                                  .n = out.width,
                                                  .k = a.values,
                                                  .a = gw_value(run, in) + a.row * in.width,
                                                  .a_stride = a.values,
                                                  .b = f->weight.value,
                                                  .b_stride = f->stride,
                                                  .c = gw_value(run, out) + a.first * out.width,
                                                  .c_stride = out.width,
                                                  .scratch = step->scratch}));
    return GW_OK;
}

static gw_status flatten_backward(const gw_run *run, const gw_step *step) {
    const flatten_arguments *f = step->arguments;
    const gw_tensor in = step->in[0], out = step->out[0];
    for (alike a = {0}; next(run, step, &a);) {
        const float *gradient = gw_gradient(run, out) + a.first * out.width;
        GW_TRY(run->kernels->gemm(&(gw_gemm_args){.transpose_a = true,
                                                  .accumulate = true,
                                                  .m = out.width,
                                                  .n = a.values,
                                                  .k = a.count,
                                                  .a = gradient,
                                                  .a_stride = out.width,
                                                  .b = gw_value(run, in) + a.row * in.width,
                                                  .b_stride = a.values,
                                                  .c = f->weight.gradient,
                                                  .c_stride = f->stride,
                                                  .scratch = step->scratch}));
        GW_TRY(run->kernels->gemm(&(gw_gemm_args){.accumulate = !step->overwrites,
                                                  .m = a.count,
                                                  .n = a.values,
                                                  .k = out.width,
                                                  .a = gradient,
                                                  .a_stride = out.width,
                                                  .b = f->weight.value,
                                                  .b_stride = f->stride,
                                                  .c = gw_gradient(run, in) + a.row * in.width,
                                                  .c_stride = a.values,
                                                  .scratch = step->scratch}));
    }
    return GW_OK;
}

static void flatten_size_scratch(gw_plan *plan, gw_step *step) {
    const flatten_arguments *f = step->arguments;
    const int64_t in = f->stride, out = step->out[0].width, most = gw_plan_most(plan, step->out[0]);
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.transpose_b = true, .m = most, .n = out, .k = in});
    if (!plan->training) return;
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.transpose_a = true, .m = out, .n = in, .k = most});
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.m = most, .n = in, .k = out});
}

static const gw_plan_op flatten_op = {.name = "flatten",
                                      .reads = GW_READS_SEQUENCE,
                                      .forward = flatten_forward,
                                      .backward = flatten_backward,
                                      .size_scratch = flatten_size_scratch,
                                      .reads_in = true,
                                      .overwrites = 1};

// in [rows of a stream][W] -> [sequences][width], of the row set `out`, which has a row for each sequence:
// out_s = sum over the rows r of sequence s of weight[.][r W ... (r + 1) W - 1] in_r. The weight is [width][places W];
// a sequence has at most `places` rows, and those that it lacks are zeros.
static gw_tensor flatten(gw_plan *plan, gw_tensor in, gw_weight weight, int64_t places, int out, int64_t width) {
    const flatten_arguments arguments = {weight, places * in.width};
    const gw_tensor made = gw_plan_append(plan, &flatten_op, &arguments, sizeof arguments, &in, 1, out, width);
    gw_plan_learns(plan, weight);
    return made;
}

static gw_attention_pool_args attention_pool_args(const gw_run *run, const gw_step *step) {
    const gw_rows *stream = gw_run_inputs(run, step->in[0].rows);
    return (gw_attention_pool_args){
        .sequences = stream->sequences,
        .width = step->in[0].width,
        .scale = *(const float *)step->arguments,
        .start = stream->start,
        .in = gw_value(run, step->in[0]),
        .score = gw_value(run, step->in[1]),
    };
}

static gw_status attention_pool(const gw_run *run, const gw_step *step) {
    gw_attention_pool_args args = attention_pool_args(run, step);
    args.out = gw_value(run, step->out[0]);
    return run->kernels->attention_pool(&args);
}

static gw_status attention_pool_backward(const gw_run *run, const gw_step *step) {
    gw_attention_pool_args args = attention_pool_args(run, step);
    args.gradient = gw_gradient(run, step->out[0]);
    args.in_gradient = gw_gradient(run, step->in[0]);
    args.score_gradient = gw_gradient(run, step->in[1]);
    return run->kernels->attention_pool_backward(&args);
}

static const gw_plan_op attention_pool_op = {.name = "attention_pool",
                                             .reads = GW_READS_SEQUENCE,
                                             .forward = attention_pool,
                                             .backward = attention_pool_backward,
                                             .reads_in = true};

// A row for each sequence of the stream, of the row set `out`: the sum of its rows by the softmax of scale * score,
// where score has a number for each row.
static gw_tensor attention_pool_rows(gw_plan *plan, gw_tensor in, gw_tensor score, int out, double scale) {
    const float factor = (float)scale;
    assert(score.rows == in.rows && score.width == 1 && plan->rows[out].each_sequence);
    gw_plan_needs(plan, GW_OP_attention_pool);
    if (plan->training) gw_plan_needs(plan, GW_OP_attention_pool_backward);
    return gw_plan_append(plan, &attention_pool_op, &factor, sizeof factor, (gw_tensor[]){in, score}, 2, out, in.width);
}

gw_tensor gw_head_sequence_rows(gw_builder *b, gw_tensor hidden) {
    const int64_t places = gw_config_pooled_rows(b->config);
    const int all = b->lists ? 1 : (int)b->network->options.tokens; // rows of a window: as many as any sequence has
    gw_plan *plan = b->plan;
    switch (b->config->pooling) {
    case GW_SEQUENCE_FIRST: return gw_plan_gather(plan, hidden, GW_ROWS_FIRST);
    case GW_SEQUENCE_ATTENTION: {
        const gw_tensor score = gw_build_linear(b, hidden, GW_ROLE_POOL_QUERY, "pool_query", 1, false);
        return attention_pool_rows(plan, hidden, score, GW_ROWS_FIRST, 1 / sqrt((double)hidden.width));
    }
    case GW_SEQUENCE_FLATTEN: {
        const gw_weight weight =
            gw_declare_weight(b, GW_ROLE_FLATTEN, "classifier.flatten", hidden.width, places * hidden.width);
        return flatten(plan, hidden, weight, places, GW_ROWS_FIRST, hidden.width);
    }
    default: break;
    }
    const gw_tensor mean = gw_plan_pool(plan, hidden, GW_ROWS_FIRST, GW_POOL_MEAN, all);
    if (b->config->pooling != GW_SEQUENCE_PLACES) return mean;
    const gw_weight table = gw_declare_weight(b, GW_ROLE_PLACES, "classifier.places", places, hidden.width);
    const gw_tensor weighed = gw_plan_weigh_places(plan, hidden, table, places);
    return gw_plan_sum(plan, gw_plan_pool(plan, weighed, GW_ROWS_FIRST, GW_POOL_SUM, all), mean);
}

gw_tensor gw_head_pool(gw_builder *b, gw_tensor hidden) {
    const gw_tensor row = gw_head_sequence_rows(b, hidden);
    if (b->of.transforms == GW_TRANSFORMS_ALL) return gw_head_transform(b, row);
    const gw_tensor dense = gw_plan_linear(b->plan, row, gw_declare_pooler(b), row.width);
    const gw_activation named = b->config->head_activation;
    return gw_plan_activation(b->plan, dense, named == GW_ACTIVATION_NONE ? GW_ACTIVATION_TANH : named);
}

gw_tensor gw_head_transform(gw_builder *b, gw_tensor x) {
    const gw_config *config = b->config;
    const gw_activation named = config->head_activation, own = b->of.mask_activation;
    x = gw_build_linear(b, x, GW_ROLE_MASK_TRANSFORM, b->of.transform, config->width, config->head_bias);
    x = gw_plan_activation(b->plan, x,
                           named != GW_ACTIVATION_NONE ? named
                           : own != GW_ACTIVATION_NONE ? own
                                                       : config->activation);
    return gw_build_norm(b, x, GW_ROLE_MASK_NORM, b->of.transform_norm);
}
