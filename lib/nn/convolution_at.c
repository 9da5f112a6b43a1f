// SPDX-License-Identifier: MIT
// A convolution of some rows of a stream: tap by tap the rows that it reads are picked, multiplied and added to those
// that it makes. The middle tap, which every row has, comes first; others follow in order, whatever rows are beside.
#include "nn/convolution.h"

#include <assert.h>

typedef struct {
    const gw_run *run;
    const gw_step *step;
    const gw_rows *host, *device; // of what is made
    float *picked, *product, *scratch;
} convolving;

static int64_t middle_of(const gw_convolution *c) {
    return (c->taps - 1) / 2;
}

// c = x[from] W_t^T, with the bias where it is the middle tap's.
static gw_status multiply(const convolving *v, int64_t tap, int64_t rows, float *c) {
    const gw_convolution *a = v->step->arguments;
    const gw_tensor in = v->step->in[0], out = v->step->out[0];
    GW_TRY(v->run->kernels->gather_rows(&(gw_rows_args){.rows = rows,
                                                        .width = in.width,
                                                        .index = v->device->from + v->host->tap[tap],
                                                        .in = gw_value(v->run, in),
                                                        .in_stride = in.width,
                                                        .out = v->picked,
                                                        .out_stride = in.width}));
    return v->run->kernels->gemm(&(gw_gemm_args){.transpose_b = true,
                                                 .m = rows,
                                                 .n = out.width,
                                                 .k = in.width,
                                                 .a = v->picked,
                                                 .a_stride = in.width,
                                                 .b = a->weight.value + tap * out.width * in.width,
                                                 .b_stride = in.width,
                                                 .c = c,
                                                 .c_stride = out.width,
                                                 .bias = tap == middle_of(a) ? a->bias.value : NULL,
                                                 .precision = a->precision,
                                                 .scratch = v->scratch});
}

static gw_status add_tap(const convolving *v, int64_t tap) {
    const gw_tensor out = v->step->out[0];
    const int64_t begin = v->host->tap[tap], rows = v->host->tap[tap + 1] - begin;
    if (rows == 0) return GW_OK;
    GW_TRY(multiply(v, tap, rows, v->product));
    return v->run->kernels->scatter_add_rows(&(gw_rows_args){.rows = rows,
                                                             .width = out.width,
                                                             .index = v->device->to + begin,
                                                             .in = v->product,
                                                             .in_stride = out.width,
                                                             .out = gw_value(v->run, out),
                                                             .out_stride = out.width,
                                                             .out_rows = gw_run_rows(v->run, out)});
}

static gw_status forward(const gw_run *run, const gw_step *step) {
    const gw_convolution *c = step->arguments;
    const gw_tensor in = step->in[0], out = step->out[0];
    const int64_t most = run->plan->rows[out.rows].most;
    const convolving v = {.run = run,
                          .step = step,
                          .host = &run->batch->of[out.rows],
                          .device = gw_run_inputs(run, out.rows),
                          .picked = step->scratch,
                          .product = step->scratch + most * in.width,
                          .scratch = step->scratch + most * (in.width + out.width)};
    GW_TRY(multiply(&v, middle_of(c), gw_run_rows(run, out), gw_value(run, out)));
    for (int64_t tap = 0; tap < c->taps; tap++)
        if (tap != middle_of(c)) GW_TRY(add_tap(&v, tap));
    return GW_OK;
}

static void size_scratch(gw_plan *plan, gw_step *step) {
    const gw_convolution *c = step->arguments;
    const gw_tensor in = step->in[0], out = step->out[0];
    const int64_t most = gw_plan_most(plan, out);
    gw_plan_needs(plan, GW_OP_gather_rows);
    gw_plan_needs(plan, GW_OP_scatter_add_rows);
    gw_plan_launches(
        plan, step, GW_OP_gemm,
        &(gw_gemm_args){.transpose_b = true, .m = most, .n = out.width, .k = in.width, .precision = c->precision});
    step->scratch_floats += most * (in.width + out.width);
}

static const gw_plan_op convolution_at_op = {
    .name = "convolution_at", .forward = forward, .size_scratch = size_scratch, .reads_in = true};

gw_tensor gw_plan_convolution_at(gw_plan *plan, gw_tensor in, gw_convolution convolution, int64_t width, int rows) {
    if (in.rows == rows) return gw_plan_convolution(plan, in, convolution, width);
    assert(!plan->training && convolution.groups == 1 && plan->rows[rows].stream == in.rows);
    convolution.precision = gw_convolution_precision(&convolution, in.width, width);
    plan->rows[rows].taps = convolution.taps;
    return gw_plan_append(plan, &convolution_at_op, &convolution, sizeof convolution, &in, 1, rows, width);
}
