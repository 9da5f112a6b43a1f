// SPDX-License-Identifier: MIT
// A linear layer of each head: a product a head, or one where all share it.
#include "nn/head_linear.h"

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
static gw_status head_backward(const gw_run *run, const gw_step *step, const heads_shape *s, int h) {
    const heads_arguments *a = step->arguments;
    const float *gradient = gw_gradient(run, step->out[0]) + h * s->out;
    if (a->weight.gradient)
        GW_TRY(run->kernels->gemm(&(gw_gemm_args){.transpose_a = true,
                                                  .accumulate = true,
                                                  .m = s->out,
                                                  .n = s->in,
                                                  .k = s->rows,
                                                  .a = gradient,
                                                  .a_stride = s->out_stride,
                                                  .b = gw_value(run, step->in[0]) + h * s->in,
                                                  .b_stride = s->in_stride,
                                                  .c = a->weight.gradient + h * s->out * s->in,
                                                  .c_stride = s->in,
                                                  .scratch = step->scratch}));
    if (a->bias.gradient)
        GW_TRY(run->kernels->column_sum(&(gw_column_sum_args){.rows = s->rows,
                                                              .width = s->out,
                                                              .in = gradient,
                                                              .in_stride = s->out_stride,
                                                              .out = a->bias.gradient + h * s->out}));
    return run->kernels->gemm(&(gw_gemm_args){.accumulate = !step->overwrites,
                                              .m = s->rows,
                                              .n = s->in,
                                              .k = s->out,
                                              .a = gradient,
                                              .a_stride = s->out_stride,
                                              .b = a->weight.value + h * s->out * s->in,
                                              .b_stride = s->in,
                                              .c = gw_gradient(run, step->in[0]) + h * s->in,
                                              .c_stride = s->in_stride,
                                              .scratch = step->scratch});
}

static gw_status heads_backward(const gw_run *run, const gw_step *step) {
    const heads_shape s = shape_of(step, gw_run_rows(run, step->in[0]));
    for (int h = 0; h < s.products; h++) GW_TRY(head_backward(run, step, &s, h));
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
