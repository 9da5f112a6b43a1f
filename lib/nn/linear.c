// SPDX-License-Identifier: MIT
// Linear layer: y = x W^T + b;  dx += dy W (or dx = dy W);  dW += dy^T x;  db += column sums of dy. If it reads f(x),
// dx = f'(x) dy W. Shapes: x [R][K], W [N][K], y [R][N]. In training all three products are f32, or bf16 if requested
// and the layer is not small.
#include "nn/layers.h"
#include "nn/steps.h"

static gw_status linear_forward(const gw_run *run, const gw_step *step) {
    const gw_linear_arguments *a = step->arguments;
    const gw_tensor in = step->in[0], out = step->out[0];
    return run->kernels->gemm(&(gw_gemm_args){
        .transpose_b = true,
        .m = gw_run_rows(run, in),
        .n = out.width,
        .k = in.width,
        .a = gw_value(run, in),
        .a_stride = in.width,
        .b = a->linear[0].weight.value,
        .b_stride = in.width,
        .c = gw_value(run, out),
        .c_stride = out.width,
        .bias = a->linear[0].bias.value,
        .precision = a->linear[0].precision,
        .scratch = step->scratch,
        .of_a = a->of,
        .a_bf16 = gw_rounded(run, in),
        .c_bf16 = gw_rounded(run, out),
    });
}

// dW and db, then dx; bf16 products sum dy while they pack it.
static gw_status linear_backward(const gw_run *run, const gw_step *step) {
    const gw_linear_arguments *a = step->arguments;
    const gw_linear *linear = &a->linear[0];
    const gw_tensor in = step->in[0], out = step->out[0];
    const int64_t rows = gw_run_rows(run, in);
    const bool sums = linear->precision == GW_BF16;
    GW_TRY(run->kernels->gemm(&(gw_gemm_args){
        .transpose_a = true,
        .accumulate = true,
        .m = out.width,
        .n = in.width,
        .k = rows,
        .a = gw_gradient(run, out),
        .a_bf16 = gw_rounded_gradient(run, out),
        .a_stride = out.width,
        .b = gw_value(run, in),
        .b_stride = in.width,
        .c = linear->weight.gradient,
        .c_stride = in.width,
        .precision = linear->precision,
        .scratch = step->scratch,
        .of_b = a->of,
        .b_bf16 = gw_rounded(run, in),
        .a_sum = sums ? linear->bias.gradient : NULL,
    }));
    if (linear->bias.gradient && !sums)
        GW_TRY(run->kernels->column_sum(&(gw_column_sum_args){.rows = rows,
                                                              .width = out.width,
                                                              .in = gw_gradient(run, out),
                                                              .in_stride = out.width,
                                                              .out = linear->bias.gradient}));
    return run->kernels->gemm(&(gw_gemm_args){
        .accumulate = !step->overwrites && !gw_rounded_gradient(run, in),
        .m = rows,
        .n = in.width,
        .k = out.width,
        .a = gw_gradient(run, out),
        .a_bf16 = gw_rounded_gradient(run, out),
        .a_stride = out.width,
        .b = linear->weight.value,
        .b_stride = in.width,
        .c = gw_gradient(run, in),
        .c_bf16 = gw_rounded_gradient(run, in),
        .c_stride = in.width,
        .precision = linear->precision,
        .scratch = step->scratch,
        .backward_of = a->of,
        .before = gw_value(run, in),
    });
}

// y, dx and dW.
static void linear_size_scratch(gw_plan *plan, gw_step *step) {
    const gw_linear_arguments *a = step->arguments;
    const gw_precision precision = a->linear[0].precision;
    const int64_t in = step->in[0].width, out = step->out[0].width, rows = gw_plan_most(plan, step->in[0]);
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.m = rows, .n = out, .k = in, .precision = precision});
    if (!plan->training) return;
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.m = rows, .n = in, .k = out, .precision = precision});
    gw_plan_launches(plan, step, GW_OP_gemm,
                     &(gw_gemm_args){.transpose_a = true, .m = out, .n = in, .k = rows, .precision = precision});
    if (a->linear[0].bias.value && precision == GW_F32) gw_plan_needs(plan, GW_OP_column_sum);
}

// Where it reads f(x), x and its gradient are needed whole.
static gw_storage linear_storage(const gw_plan *plan, const gw_step *step) {
    const gw_linear_arguments *a = step->arguments;
    const gw_gemm_args args = {.precision = a->linear[0].precision};
    const bool reads_x = a->of == GW_ACTIVATION_NONE;
    if (!plan->kernels->takes_bf16(GW_OP_gemm, &args)) return (gw_storage){0};
    return (gw_storage){.rounds = reads_x, .makes = GW_MAKES_EITHER, .rounded = true, .makes_gradients = reads_x};
}

const gw_plan_op gw_linear_op = {.name = "linear",
                                 .reads = GW_READS_ROW,
                                 .forward = linear_forward,
                                 .backward = linear_backward,
                                 .size_scratch = linear_size_scratch,
                                 .storage = linear_storage,
                                 .reads_in = true,
                                 .overwrites = 1};

static gw_linear_layer layer_of(gw_linear linear, gw_activation activation) {
    return (gw_linear_layer){linear.packed, linear.bias.value, activation};
}

static gw_linear_args packed_arguments(const gw_step *step) {
    const gw_linear_arguments *a = step->arguments;
    gw_linear_args args = {
        .feed_forward = layer_of(a->feed_forward, a->feed_forward_activation),
        .norm_weight = a->norm.weight.value,
        .norm_bias = a->norm.bias.value,
        .epsilon = (float)a->epsilon,
        .scratch = step->scratch,
    };
    for (int i = 0; i < step->outs; i++) args.layer[i] = layer_of(a->linear[i], a->activation);
    return args;
}

static gw_status packed_forward(const gw_run *run, const gw_step *step) {
    gw_linear_args args = packed_arguments(step);
    args.rows = gw_run_rows(run, step->in[0]);
    args.in = gw_value(run, step->in[0]);
    args.in_bf16 = gw_rounded(run, step->in[0]);
    if (step->ins > 1) args.residual = gw_value(run, step->in[1]);
    for (int i = 0; i < step->outs; i++) {
        args.out[i] = gw_value(run, step->out[i]);
        args.out_bf16[i] = gw_rounded(run, step->out[i]);
    }
    return run->kernels->linear(&args);
}

static void size_packed_scratch(gw_plan *plan, gw_step *step) {
    gw_linear_args most = packed_arguments(step);
    most.rows = gw_plan_most(plan, step->in[0]);
    gw_plan_launches(plan, step, GW_OP_linear, &most);
}

// A norm writes bf16 beside floats; a product alone writes either, if it applies the activation itself.
static gw_storage packed_storage(const gw_plan *plan, const gw_step *step) {
    const gw_linear_arguments *a = step->arguments;
    const gw_linear_args args = packed_arguments(step);
    if (a->linear[0].precision != GW_BF16 || !plan->kernels->takes_bf16(GW_OP_linear, &args)) return (gw_storage){0};
    if (a->norm.weight.value) return (gw_storage){.rounds = 1, .makes = GW_MAKES_BOTH};
    const bool either = step->ins == 1 && gw_product_rounds(a->activation);
    return (gw_storage){.rounds = 1, .makes = either ? GW_MAKES_EITHER : GW_MAKES_FLOATS};
}

const gw_plan_op gw_packed_op = {.name = "linear",
                                 .reads = GW_READS_ROW,
                                 .forward = packed_forward,
                                 .size_scratch = size_packed_scratch,
                                 .storage = packed_storage};

// A layer of sequences has a row for each, and a narrow one (of labels) would fill its micro-panels with zeros: these
// stay f32.
enum { LEAST_WIDTH = 64 };

gw_tensor gw_plan_linear(gw_plan *plan, gw_tensor in, gw_linear linear, int64_t width) {
    const bool is_small = plan->rows[in.rows].each_sequence || in.width < LEAST_WIDTH || width < LEAST_WIDTH;
    const bool packed = linear.packed && !plan->training;
    if (!packed && (!plan->training || is_small)) linear.precision = GW_F32;
    const gw_linear_arguments arguments = {.linear = {linear}};
    const gw_tensor made = gw_plan_append(plan, packed ? &gw_packed_op : &gw_linear_op, &arguments, sizeof arguments,
                                          &in, 1, in.rows, width);
    gw_plan_learns(plan, linear.weight);
    gw_plan_learns(plan, linear.bias);
    return made;
}

// A linear layer of each head: a product a head, or one where all share it.

typedef struct {
    gw_weight weight, bias; // [heads or 1][out][in], [heads or 1][out]
    int heads;
    bool shared;
} heads_arguments;

// What of a step is one product.
typedef struct {
    int products;
    int64_t rows, in, out, in_stride, out_stride;
} heads_shape;

static heads_shape shape_of(const gw_step *step, int64_t rows) {
    const heads_arguments *a = step->arguments;
    const int64_t in = step->in[0].width / a->heads, out = step->out[0].width / a->heads;
    if (a->shared) return (heads_shape){1, rows * a->heads, in, out, in, out};
    return (heads_shape){a->heads, rows, in, out, a->heads * in, a->heads * out};
}

static gw_status heads_forward(const gw_run *run, const gw_step *step) {
    const heads_arguments *a = step->arguments;
    const heads_shape s = shape_of(step, gw_run_rows(run, step->in[0]));
    for (int h = 0; h < s.products; h++)
        GW_TRY(run->kernels->gemm(&(gw_gemm_args){.transpose_b = true,
                                                  .m = s.rows,
                                                  .n = s.out,
                                                  .k = s.in,
                                                  .a = gw_value(run, step->in[0]) + h * s.in,
                                                  .a_stride = s.in_stride,
                                                  .b = a->weight.value + h * s.out * s.in,
                                                  .b_stride = s.in,
                                                  .c = gw_value(run, step->out[0]) + h * s.out,
                                                  .c_stride = s.out_stride,
                                                  .bias = a->bias.value ? a->bias.value + h * s.out : NULL,
                                                  .scratch = step->scratch}));
    return GW_OK;
}

// dW += dy^T x, db += sums of dy, dx += dy W.
static gw_status heads_backward(const gw_run *run, const gw_step *step) {
    const heads_arguments *a = step->arguments;
    const heads_shape s = shape_of(step, gw_run_rows(run, step->in[0]));
    for (int h = 0; h < s.products; h++) {
        const float *gradient = gw_gradient(run, step->out[0]) + h * s.out;
        if (a->weight.gradient)
            GW_TRY(run->kernels->gemm(&(gw_gemm_args){.transpose_a = true,
                                                      .accumulate = true,
                                                      .m = s.out,
                                                      .n = s.in,
                                                      .k = s.rows,
                                                      .a = gradient,
                                                      .a_stride = s.out_stride,
                                                      .b = gw_value(run, step->in[0]) + h * s.in,
                                                      .b_stride = s.in_stride,
                                                      .c = a->weight.gradient + h * s.out * s.in,
                                                      .c_stride = s.in,
                                                      .scratch = step->scratch}));
        if (a->bias.gradient)
            GW_TRY(run->kernels->column_sum(&(gw_column_sum_args){.rows = s.rows,
                                                                  .width = s.out,
                                                                  .in = gradient,
                                                                  .in_stride = s.out_stride,
                                                                  .out = a->bias.gradient + h * s.out}));
        GW_TRY(run->kernels->gemm(&(gw_gemm_args){.accumulate = !step->overwrites,
                                                  .m = s.rows,
                                                  .n = s.in,
                                                  .k = s.out,
                                                  .a = gradient,
                                                  .a_stride = s.out_stride,
                                                  .b = a->weight.value + h * s.out * s.in,
                                                  .b_stride = s.in,
                                                  .c = gw_gradient(run, step->in[0]) + h * s.in,
                                                  .c_stride = s.in_stride,
                                                  .scratch = step->scratch}));
    }
    return GW_OK;
}

static void size_heads_scratch(gw_plan *plan, gw_step *step) {
    const heads_shape s = shape_of(step, gw_plan_most(plan, step->in[0]));
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.m = s.rows, .n = s.out, .k = s.in});
    if (!plan->training) return;
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.m = s.rows, .n = s.in, .k = s.out});
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.transpose_a = true, .m = s.out, .n = s.in, .k = s.rows});
    gw_plan_needs(plan, GW_OP_column_sum);
}

static const gw_plan_op heads_op = {.name = "linear of heads",
                                    .forward = heads_forward,
                                    .backward = heads_backward,
                                    .size_scratch = size_heads_scratch,
                                    .reads_in = true,
                                    .overwrites = 1};

gw_tensor gw_plan_head_linear(gw_plan *plan, gw_tensor in, gw_weight weight, gw_weight bias, int heads, bool shared,
                              int64_t out) {
    const heads_arguments arguments = {weight, bias, heads, shared};
    const gw_tensor made = gw_plan_append(plan, &heads_op, &arguments, sizeof arguments, &in, 1, in.rows, heads * out);
    gw_plan_learns(plan, weight);
    gw_plan_learns(plan, bias);
    return made;
}
