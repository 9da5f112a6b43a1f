// SPDX-License-Identifier: MIT
// Linear layer: y = x W^T + b;  dx += dy W (or dx = dy W);  dW += dy^T x;  db += column sums of dy. x may stand for
// f(x), taken while products read x; the gradient is then that of f(x). Shapes: x [R][K], W [N][K], y [R][N]. Packed
// weights belong to plans without training, whose step may end in an activation: y = f(x W^T + b). With training all
// three products are of f32, or of bf16 where that is asked for and the layer is not small.
#include "nn/layers.h"

#include "base/parallel.h"
#include "nn/packed.h"

typedef struct {
    gw_tensor in, out;
    gw_linear linear;
    gw_activation of; // f, with bf16 alone
    float *scratch;   // of bf16 products
    bool overwrites;  // dx, in place of adding to it
} linear_step;

static gw_status forward(const gw_run *run, const void *arguments) {
    const linear_step *step = arguments;
    return run->kernels->gemm(&(gw_gemm_args){
        .transpose_b = true,
        .m = gw_run_rows(run, step->in),
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
        .of_a = step->of,
    });
}

static gw_status backward(const gw_run *run, const void *arguments) {
    const linear_step *step = arguments;
    const int64_t rows = gw_run_rows(run, step->in), in = step->in.width, out = step->out.width;
    const bool sums = step->linear.precision == GW_BF16; // dy, while it is packed
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
        .of_b = step->of,
        .a_sum = sums ? step->linear.bias.gradient : NULL,
    }));
    if (step->linear.bias.value && !sums)
        GW_TRY(run->kernels->column_sum(&(gw_column_sum_args){.rows = rows,
                                                              .width = out,
                                                              .in = step->out.gradient,
                                                              .in_stride = out,
                                                              .out = step->linear.bias.gradient}));
    return run->kernels->gemm(&(gw_gemm_args){
        .accumulate = !step->overwrites,
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

// A layer of sequences has a row for each, and a narrow one (of labels) would fill its panels with zeros: these stay
// f32.
enum { LEAST_WIDTH = 64 };

static gw_precision precision_of(const gw_plan *plan, gw_tensor in, gw_linear linear, gw_tensor out) {
    const bool is_small = plan->rows[in.rows].each_sequence || in.width < LEAST_WIDTH || out.width < LEAST_WIDTH;
    return plan->training && !is_small ? linear.precision : GW_F32;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

// For y, dx and dW.
static int64_t operand_scratch(const gw_plan *plan, gw_tensor in, gw_tensor out) {
    const int threads = gw_threads();
    return larger(gw_gemm_scratch(threads, out.width, in.width),
                  larger(gw_gemm_scratch(threads, in.width, out.width),
                         gw_gemm_scratch(threads, in.width, gw_plan_most(plan, in))));
}

static void append(gw_plan *plan, gw_tensor in, gw_activation of, gw_linear linear, gw_tensor out) {
    linear_step step = {.in = in, .out = out, .linear = linear, .of = of};
    step.linear.precision = precision_of(plan, in, linear, out);
    if (step.linear.precision == GW_BF16) step.scratch = gw_plan_scratch(plan, operand_scratch(plan, in, out));
    linear_step *appended = gw_plan_append(plan, in.rows, forward, backward, &step, sizeof step);
    gw_plan_can_overwrite(plan, in, appended ? &appended->overwrites : NULL);
}

static void append_packed(gw_plan *plan, gw_tensor in, gw_linear linear, gw_activation activation, gw_tensor out) {
    gw_plan_packed(
        plan, &(gw_packed_layers){.in = in, .count = 1, .linear = {linear}, .out = {out}, .activation = activation});
}

void gw_plan_linear_into(gw_plan *plan, gw_tensor in, gw_linear linear, gw_tensor out) {
    if (linear.packed) append_packed(plan, in, linear, GW_ACTIVATION_NONE, out);
    else append(plan, in, GW_ACTIVATION_NONE, linear, out);
}

void gw_plan_linear_of(gw_plan *plan, gw_tensor in, gw_activation activation, gw_linear linear, gw_tensor out) {
    if (precision_of(plan, in, linear, out) == GW_BF16) {
        gw_plan_activation_backward(plan, in, activation);
        append(plan, in, activation, linear, out);
    } else {
        in = gw_plan_activation(plan, in, activation, false);
        gw_plan_linear_into(plan, in, linear, out);
    }
    gw_plan_release(plan, in);
}

gw_tensor gw_plan_linear(gw_plan *plan, gw_tensor in, gw_linear linear, int64_t width) {
    const gw_tensor out = gw_plan_tensor(plan, in.rows, width, true);
    gw_plan_linear_into(plan, in, linear, out);
    return out;
}

void gw_plan_linears(gw_plan *plan, gw_tensor in, const gw_linear *linears, int count, int64_t width, gw_tensor *out) {
    if (!linears[0].packed || plan->training) {
        for (int i = 0; i < count; i++) out[i] = gw_plan_linear(plan, in, linears[i], width);
        return;
    }
    gw_packed_layers layers = {.in = in, .count = count};
    for (int i = 0; i < count; i++) {
        layers.linear[i] = linears[i];
        layers.out[i] = out[i] = gw_plan_tensor(plan, in.rows, width, true);
    }
    gw_plan_packed(plan, &layers);
}

gw_tensor gw_plan_linear_activation(gw_plan *plan, gw_tensor in, gw_linear linear, int64_t width,
                                    gw_activation activation, bool kept) {
    if (!linear.packed) return gw_plan_activation(plan, gw_plan_linear(plan, in, linear, width), activation, kept);
    const gw_tensor out = gw_plan_tensor(plan, in.rows, width, kept);
    append_packed(plan, in, linear, activation, out);
    return out;
}
