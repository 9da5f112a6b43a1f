// SPDX-License-Identifier: MIT
// Convolutions; pooling and its reverse, which are each other's gradients.
#include "nn/convolution.h"

#include <assert.h>

static gw_convolution_args convolution_args(const gw_run *run, const gw_step *step) {
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

static gw_status convolution_forward(const gw_run *run, const gw_step *step) {
    const gw_convolution_args args = convolution_args(run, step);
    return run->kernels->convolution(&args);
}

static gw_status convolution_backward(const gw_run *run, const gw_step *step) {
    const gw_convolution *c = step->arguments;
    const gw_convolution_args args = convolution_args(run, step);
    GW_TRY(run->kernels->convolution_backward(&args));
    if (!c->bias.value) return GW_OK;
    return run->kernels->column_sum(&(gw_column_sum_args){.rows = args.rows,
                                                          .width = args.width,
                                                          .in = args.out_gradient,
                                                          .in_stride = args.width,
                                                          .out = c->bias.gradient});
}

static void convolution_size_scratch(gw_plan *plan, gw_step *step) {
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
                                          .forward = convolution_forward,
                                          .backward = convolution_backward,
                                          .size_scratch = convolution_size_scratch,
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

// The products' precision. Below this width bf16 products would mostly be of the zeros that they are filled up with.
enum { LEAST_WIDTH = 32 };

static gw_precision precision_of(const gw_convolution *convolution, int64_t in_width, int64_t width) {
    const int64_t inputs = in_width / convolution->groups, outputs = width / convolution->groups;
    return inputs < LEAST_WIDTH || outputs < LEAST_WIDTH ? GW_F32 : convolution->precision;
}

gw_tensor gw_plan_convolution(gw_plan *plan, gw_tensor in, gw_convolution convolution, int64_t width) {
    assert(convolution.taps % 2 == 1 && convolution.dilation > 0 && plan->rows[in.rows].stream == in.rows);
    assert(in.width % convolution.groups == 0 && width % convolution.groups == 0);
    convolution.precision = precision_of(&convolution, in.width, width);
    const gw_tensor made =
        gw_plan_append(plan, &convolution_op, &convolution, sizeof convolution, &in, 1, in.rows, width);
    gw_plan_learns(plan, convolution.weight);
    gw_plan_learns(plan, convolution.bias);
    return made;
}

typedef struct {
    int finer, coarser; // streams
    gw_pool how;
    int factor;
} pool_arguments;

static gw_pool_args pool_args(const gw_run *run, const gw_step *step) {
    const pool_arguments *a = step->arguments;
    const gw_rows *finer = gw_run_inputs(run, a->finer), *coarser = gw_run_inputs(run, a->coarser);
    return (gw_pool_args){
        .sequences = finer->sequences,
        .width = step->in[0].width,
        .start = finer->start,
        .coarser_start = run->plan->rows[a->coarser].each_sequence ? NULL : coarser->start,
        .coarser_rows = coarser->count,
        .factor = a->factor,
        .how = a->how,
    };
}

static gw_pool_args forward_arguments(const gw_run *run, const gw_step *step) {
    gw_pool_args args = pool_args(run, step);
    args.in = gw_value(run, step->in[0]);
    args.out = gw_value(run, step->out[0]);
    return args;
}

static gw_pool_args backward_arguments(const gw_run *run, const gw_step *step) {
    gw_pool_args args = pool_args(run, step);
    args.in = gw_gradient(run, step->out[0]);
    args.of = gw_value(run, step->in[0]);
    args.out = gw_gradient(run, step->in[0]);
    args.adds = !step->overwrites;
    return args;
}

static gw_status pool(const gw_run *run, const gw_step *step) {
    const gw_pool_args args = forward_arguments(run, step);
    return run->kernels->pool(&args);
}

static gw_status pool_backward(const gw_run *run, const gw_step *step) {
    const gw_pool_args args = backward_arguments(run, step);
    return run->kernels->unpool(&args);
}

static gw_status unpool(const gw_run *run, const gw_step *step) {
    const gw_pool_args args = forward_arguments(run, step);
    return run->kernels->unpool(&args);
}

static gw_status unpool_backward(const gw_run *run, const gw_step *step) {
    const gw_pool_args args = backward_arguments(run, step);
    return run->kernels->pool(&args);
}

// Where the largest value stood is found once more in the values.
static const gw_plan_op largest_op = {.name = "pool",
                                      .reads = GW_READS_POOLED,
                                      .forward = pool,
                                      .backward = pool_backward,
                                      .reads_in = true,
                                      .overwrites = 1};
static const gw_plan_op pool_op = {
    .name = "pool", .reads = GW_READS_POOLED, .forward = pool, .backward = pool_backward, .overwrites = 1};
static const gw_plan_op unpool_op = {.name = "unpool",
                                     .reads = GW_READS_REPEATED,
                                     .forward = unpool,
                                     .backward = unpool_backward,
                                     .cheap = true,
                                     .overwrites = 1};

// in[0] is pooled by the softmax of in[1].
static gw_softmax_pool_args softmax_pool_args(const gw_run *run, const gw_step *step) {
    gw_softmax_pool_args args = {.pool = forward_arguments(run, step),
                                 .logit = gw_value(run, step->in[1]),
                                 .out_gradient = gw_gradient(run, step->out[0]),
                                 .in_gradient = gw_gradient(run, step->in[0]),
                                 .logit_gradient = gw_gradient(run, step->in[1])};
    return args;
}

GW_STEP_FUNCTIONS(softmax_pool, softmax_pool)

static const gw_plan_op softmax_pool_op = {.name = "softmax_pool",
                                           .reads = GW_READS_POOLED,
                                           .forward = softmax_pool_forward,
                                           .backward = softmax_pool_backward,
                                           .reads_in = true};

static gw_tensor append(gw_plan *plan, const gw_plan_op *op, gw_op launches, gw_op back, const gw_tensor *in, int ins,
                        int out, pool_arguments arguments) {
    assert(arguments.factor > 0);
    assert(plan->rows[arguments.finer].stream == arguments.finer);
    assert(plan->rows[arguments.coarser].each_sequence || plan->rows[arguments.coarser].stream == arguments.coarser);
    gw_plan_needs(plan, launches);
    if (plan->training) gw_plan_needs(plan, back);
    return gw_plan_append(plan, op, &arguments, sizeof arguments, in, ins, out, in[0].width);
}

int gw_pool_step_factor(const gw_step *step) {
    return ((const pool_arguments *)step->arguments)->factor;
}

gw_tensor gw_plan_pool(gw_plan *plan, gw_tensor in, int coarser_stream, gw_pool how, int factor) {
    return append(plan, how == GW_POOL_MAX ? &largest_op : &pool_op, GW_OP_pool, GW_OP_unpool, &in, 1, coarser_stream,
                  (pool_arguments){in.rows, coarser_stream, how, factor});
}

gw_tensor gw_plan_softmax_pool(gw_plan *plan, gw_tensor in, gw_tensor logit, int coarser_stream, int factor) {
    assert(in.width == logit.width && in.rows == logit.rows);
    return append(plan, &softmax_pool_op, GW_OP_softmax_pool, GW_OP_softmax_pool_backward, (gw_tensor[]){in, logit}, 2,
                  coarser_stream, (pool_arguments){in.rows, coarser_stream, GW_POOL_SUM, factor});
}

gw_tensor gw_plan_unpool(gw_plan *plan, gw_tensor in, int finer_stream, int factor) {
    return append(plan, &unpool_op, GW_OP_unpool, GW_OP_pool, &in, 1, finer_stream,
                  (pool_arguments){finer_stream, in.rows, GW_POOL_SUM, factor});
}
