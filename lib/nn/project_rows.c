// SPDX-License-Identifier: MIT
// Products along sequences as a plan entry: one for each sequence.
#include "nn/project_rows.h"

typedef struct {
    gw_weight weight;
    int64_t places;
} project_arguments;

// A sequence's rows of the input and of the result.
typedef struct {
    int64_t in, count, out, sums;
} sequence;

static int64_t sequences_of(const gw_run *run, const gw_step *step) {
    return run->batch->of[step->in[0].rows].sequences;
}

static sequence sequence_of(const gw_run *run, const gw_step *step, int64_t s) {
    const int64_t *in = run->batch->of[step->in[0].rows].start, *out = run->batch->of[step->out[0].rows].start;
    return (sequence){in[s], in[s + 1] - in[s], out[s], out[s + 1] - out[s]};
}

static gw_status forward(const gw_run *run, const gw_step *step) {
    const project_arguments *a = step->arguments;
    const int64_t width = step->in[0].width;
    for (int64_t i = 0; i < sequences_of(run, step); i++) {
        const sequence s = sequence_of(run, step, i);
        GW_TRY(run->kernels->gemm(&(gw_gemm_args){.m = s.sums,
                                                  .n = width,
                                                  .k = s.count,
                                                  .a = a->weight.value,
                                                  .a_stride = a->places,
                                                  .b = gw_value(run, step->in[0]) + s.in * width,
                                                  .b_stride = width,
                                                  .c = gw_value(run, step->out[0]) + s.out * width,
                                                  .c_stride = width,
                                                  .scratch = step->scratch}));
    }
    return GW_OK;
}

// dE += dout in^T, din += E^T dout.
static gw_status backward_sequence(const gw_run *run, const gw_step *step, const sequence *s) {
    const project_arguments *a = step->arguments;
    const int64_t width = step->in[0].width;
    const float *gradient = gw_gradient(run, step->out[0]) + s->out * width;
    GW_TRY(run->kernels->gemm(&(gw_gemm_args){.transpose_b = true,
                                              .accumulate = true,
                                              .m = s->sums,
                                              .n = s->count,
                                              .k = width,
                                              .a = gradient,
                                              .a_stride = width,
                                              .b = gw_value(run, step->in[0]) + s->in * width,
                                              .b_stride = width,
                                              .c = a->weight.gradient,
                                              .c_stride = a->places,
                                              .scratch = step->scratch}));
    return run->kernels->gemm(&(gw_gemm_args){.transpose_a = true,
                                              .accumulate = !step->overwrites,
                                              .m = s->count,
                                              .n = width,
                                              .k = s->sums,
                                              .a = a->weight.value,
                                              .a_stride = a->places,
                                              .b = gradient,
                                              .b_stride = width,
                                              .c = gw_gradient(run, step->in[0]) + s->in * width,
                                              .c_stride = width,
                                              .scratch = step->scratch});
}

static gw_status backward(const gw_run *run, const gw_step *step) {
    for (int64_t i = 0; i < sequences_of(run, step); i++) {
        const sequence s = sequence_of(run, step, i);
        GW_TRY(backward_sequence(run, step, &s));
    }
    return GW_OK;
}

static void size_scratch(gw_plan *plan, gw_step *step) {
    const project_arguments *a = step->arguments;
    const int64_t width = step->in[0].width, rows = gw_plan_most(plan, step->in[0]),
                  most = rows < a->places ? rows : a->places, sums = gw_plan_most(plan, step->out[0]);
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.m = sums, .n = width, .k = most});
    if (!plan->training) return;
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.transpose_b = true, .m = sums, .n = most, .k = width});
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.transpose_a = true, .m = most, .n = width, .k = sums});
}

static const gw_plan_op project_op = {.name = "project_rows",
                                      .forward = forward,
                                      .backward = backward,
                                      .size_scratch = size_scratch,
                                      .reads_in = true,
                                      .overwrites = 1};

gw_tensor gw_plan_project_rows(gw_plan *plan, gw_tensor in, gw_weight weight, int64_t places, int out) {
    const project_arguments arguments = {weight, places};
    const gw_tensor made = gw_plan_append(plan, &project_op, &arguments, sizeof arguments, &in, 1, out, in.width);
    gw_plan_learns(plan, weight);
    return made;
}
