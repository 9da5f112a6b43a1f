// SPDX-License-Identifier: MIT
// Rows of a sequence stand end to end in memory, so that a sequence of n rows of W values is one row of n W values, and
// sequences of the same length that follow each other are a matrix:
//
//     out = X F^T,   dF += dout^T X,   dX += dout F,   F the first n W columns of the weight.
#include "nn/flatten.h"

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

static gw_status forward(const gw_run *run, const gw_step *step) {
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

static gw_status backward_of(const gw_run *run, const gw_step *step, const alike *a) {
    const flatten_arguments *f = step->arguments;
    const gw_tensor in = step->in[0], out = step->out[0];
    const float *gradient = gw_gradient(run, out) + a->first * out.width;
    GW_TRY(run->kernels->gemm(&(gw_gemm_args){.transpose_a = true,
                                              .accumulate = true,
                                              .m = out.width,
                                              .n = a->values,
                                              .k = a->count,
                                              .a = gradient,
                                              .a_stride = out.width,
                                              .b = gw_value(run, in) + a->row * in.width,
                                              .b_stride = a->values,
                                              .c = f->weight.gradient,
                                              .c_stride = f->stride,
                                              .scratch = step->scratch}));
    return run->kernels->gemm(&(gw_gemm_args){.accumulate = !step->overwrites,
                                              .m = a->count,
                                              .n = a->values,
                                              .k = out.width,
                                              .a = gradient,
                                              .a_stride = out.width,
                                              .b = f->weight.value,
                                              .b_stride = f->stride,
                                              .c = gw_gradient(run, in) + a->row * in.width,
                                              .c_stride = a->values,
                                              .scratch = step->scratch});
}

static gw_status backward(const gw_run *run, const gw_step *step) {
    for (alike a = {0}; next(run, step, &a);) GW_TRY(backward_of(run, step, &a));
    return GW_OK;
}

static void size_scratch(gw_plan *plan, gw_step *step) {
    const flatten_arguments *f = step->arguments;
    const int64_t in = f->stride, out = step->out[0].width, most = gw_plan_most(plan, step->out[0]);
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.transpose_b = true, .m = most, .n = out, .k = in});
    if (!plan->training) return;
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.transpose_a = true, .m = out, .n = in, .k = most});
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.m = most, .n = in, .k = out});
}

static const gw_plan_op flatten_op = {.name = "flatten",
                                      .reads = GW_READS_SEQUENCE,
                                      .forward = forward,
                                      .backward = backward,
                                      .size_scratch = size_scratch,
                                      .reads_in = true,
                                      .overwrites = 1};

gw_tensor gw_plan_flatten(gw_plan *plan, gw_tensor in, gw_weight weight, int64_t places, int out, int64_t width) {
    const flatten_arguments arguments = {weight, places * in.width};
    const gw_tensor made = gw_plan_append(plan, &flatten_op, &arguments, sizeof arguments, &in, 1, out, width);
    gw_plan_learns(plan, weight);
    return made;
}
