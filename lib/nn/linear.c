// SPDX-License-Identifier: MIT
// Linear layer: y = x W^T + b;  dx += dy W;  dW += dy^T x;  db += column sums of dy.
// Shapes: x [R][K], W [N][K], y [R][N]. Packed weights belong to plans without training, whose step may end in an
// activation: y = f(x W^T + b). With training the operands of all three products change, and where the layer is large
// enough they are packed on the way, in f32 or bf16.
#include "nn/layers.h"

#include "base/parallel.h"

#include <assert.h>

typedef struct {
    gw_tensor in, out;
    gw_linear linear;
    gw_epilogue epilogue;
    float *scratch;
} linear_step;

static gw_status forward_packed(const gw_run *run, const void *arguments) {
    const linear_step *step = arguments;
    return run->kernels->linear(&(gw_linear_args){
        .rows = run->rows[step->in.rows],
        .weight = step->linear.packed,
        .in = step->in.value,
        .bias = step->linear.bias.value,
        .epilogue = step->epilogue,
        .out = step->out.value,
        .scratch = step->scratch,
    });
}

static gw_status forward(const gw_run *run, const void *arguments) {
    const linear_step *step = arguments;
    return run->kernels->gemm(&(gw_gemm_args){
        .transpose_b = true,
        .m = run->rows[step->in.rows],
        .n = step->out.width,
        .k = step->in.width,
        .a = step->in.value,
        .a_stride = step->in.width,
        .b = step->linear.weight.value,
        .b_stride = step->in.width,
        .c = step->out.value,
        .c_stride = step->out.width,
        .bias = step->linear.bias.value,
        .precision = step->linear.precision,
        .scratch = step->scratch,
    });
}

static gw_status backward(const gw_run *run, const void *arguments) {
    const linear_step *step = arguments;
    const int64_t rows = run->rows[step->in.rows], in = step->in.width, out = step->out.width;
    GW_TRY(run->kernels->gemm(&(gw_gemm_args){
        .transpose_a = true,
        .accumulate = true,
        .m = out,
        .n = in,
        .k = rows,
        .a = step->out.gradient,
        .a_stride = out,
        .b = step->in.value,
        .b_stride = in,
        .c = step->linear.weight.gradient,
        .c_stride = in,
        .precision = step->linear.precision,
        .scratch = step->scratch,
    }));
    if (step->linear.bias.value)
        GW_TRY(run->kernels->column_sum(&(gw_column_sum_args){.rows = rows,
                                                              .width = out,
                                                              .in = step->out.gradient,
                                                              .in_stride = out,
                                                              .out = step->linear.bias.gradient}));
    return run->kernels->gemm(&(gw_gemm_args){
        .accumulate = true,
        .m = rows,
        .n = in,
        .k = out,
        .a = step->out.gradient,
        .a_stride = out,
        .b = step->linear.weight.value,
        .b_stride = in,
        .c = step->in.gradient,
        .c_stride = in,
        .precision = step->linear.precision,
        .scratch = step->scratch,
    });
}

// Least widths and rows whose products packing makes faster. A layer of sequences has a row for each and stays as it
// is.
enum { LEAST_WIDTH = 64, LEAST_ROWS = 256 };

static bool packs_operands(const gw_plan *plan, gw_tensor in, gw_tensor out, gw_precision precision) {
    if (!plan->training || in.rows == GW_ROWS_SEQUENCES) return false;
    if (in.width < LEAST_WIDTH || out.width < LEAST_WIDTH || !gw_gemm_packs(precision)) return false;
    return precision == GW_BF16 || plan->most[in.rows] >= LEAST_ROWS;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

// For y, dx and dW.
static int64_t operand_scratch(const gw_plan *plan, gw_tensor in, gw_tensor out, gw_precision precision) {
    const int threads = gw_threads();
    return larger(gw_gemm_scratch(threads, out.width, in.width, precision),
                  larger(gw_gemm_scratch(threads, in.width, out.width, precision),
                         gw_gemm_scratch(threads, in.width, plan->most[in.rows], precision)));
}

static void append(gw_plan *plan, gw_tensor in, gw_linear linear, gw_epilogue epilogue, gw_tensor out) {
    linear_step step = {.in = in, .out = out, .linear = linear, .epilogue = epilogue};
    assert(!linear.packed || !plan->training);
    if (linear.packed) step.scratch = gw_plan_scratch(plan, gw_linear_scratch(gw_threads(), linear.packed));
    else if (packs_operands(plan, in, out, linear.precision))
        step.scratch = gw_plan_scratch(plan, operand_scratch(plan, in, out, linear.precision));
    gw_plan_append(plan, in.rows, linear.packed ? forward_packed : forward, backward, &step, sizeof step);
}

void gw_plan_linear_into(gw_plan *plan, gw_tensor in, gw_linear linear, gw_tensor out) {
    append(plan, in, linear, GW_EPILOGUE_NONE, out);
}

gw_tensor gw_plan_linear(gw_plan *plan, gw_tensor in, gw_linear linear, int64_t width) {
    const gw_tensor out = gw_plan_tensor(plan, in.rows, width, true);
    gw_plan_linear_into(plan, in, linear, out);
    return out;
}

static gw_epilogue epilogue_of(gw_activation activation) {
    switch (activation) {
    case GW_ACTIVATION_GELU: return GW_EPILOGUE_GELU;
    case GW_ACTIVATION_GELU_EXACT: return GW_EPILOGUE_GELU_EXACT;
    case GW_ACTIVATION_RELU: return GW_EPILOGUE_RELU;
    case GW_ACTIVATION_TANH: return GW_EPILOGUE_TANH;
    }
    return GW_EPILOGUE_NONE;
}

gw_tensor gw_plan_linear_activation(gw_plan *plan, gw_tensor in, gw_linear linear, int64_t width,
                                    gw_activation activation, bool kept) {
    if (!linear.packed) return gw_plan_activation(plan, gw_plan_linear(plan, in, linear, width), activation, kept);
    const gw_tensor out = gw_plan_tensor(plan, in.rows, width, kept);
    append(plan, in, linear, epilogue_of(activation), out);
    return out;
}
