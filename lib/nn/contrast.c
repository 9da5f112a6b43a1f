// SPDX-License-Identifier: MIT
// With P the predictions times 1 / sqrt(E), T the encodings and G the gradient of the logits P T^T:
//   dT += G^T P,  dP' += G T / sqrt(E)
#include "nn/contrast.h"

#include "nn/layers.h"

#include <assert.h>
#include <math.h>

typedef struct {
    gw_loss out;
    const float *scale; // [E] on the host, all 1 / sqrt(E)
} contrast_arguments;

// What is kept, each of the most rows: P, logits, the scale and zeros as a weight and bias of columns on the device,
// and the gradients of these, which nobody reads.
typedef struct {
    float *scaled, *logits, *scale, *zeros, *unread;
} kept;

static kept kept_of(const gw_run *run, const gw_step *step) {
    const int64_t most = gw_plan_most(run->plan, step->in[0]), width = step->in[0].width;
    float *scaled = step->saved, *logits = scaled + most * width, *scale = logits + most * most;
    return (kept){scaled, logits, scale, scale + width, scale + 2 * width};
}

static gw_affine_args scaling(const gw_run *run, const gw_step *step, const kept *k) {
    const int64_t width = step->in[0].width;
    return (gw_affine_args){.rows = gw_run_rows(run, step->in[0]),
                            .width = width,
                            .slope = 1,
                            .in = gw_value(run, step->in[0]),
                            .weight = k->scale,
                            .bias = k->zeros,
                            .out = k->scaled,
                            .scratch = step->scratch};
}

static gw_cross_entropy_args entropy(const gw_run *run, const gw_step *step, const kept *k) {
    const contrast_arguments *a = step->arguments;
    const int64_t rows = gw_run_rows(run, step->in[0]);
    return (gw_cross_entropy_args){.rows = rows,
                                   .classes = rows,
                                   .logit = k->logits,
                                   .logit_stride = rows,
                                   .label = gw_run_inputs(run, step->rows)->label,
                                   .loss = a->out.loss,
                                   .best = a->out.best};
}

static gw_status forward(const gw_run *run, const gw_step *step) {
    const contrast_arguments *a = step->arguments;
    const kept k = kept_of(run, step);
    const int64_t rows = gw_run_rows(run, step->in[0]), width = step->in[0].width;
    const gw_affine_args scale = scaling(run, step, &k);
    const gw_cross_entropy_args classes = entropy(run, step, &k);
    GW_TRY(run->kernels->to_device(k.scale, a->scale, width * (int64_t)sizeof(float)));
    GW_TRY(run->kernels->zero(k.zeros, width * (int64_t)sizeof(float)));
    GW_TRY(run->kernels->affine(&scale));
    GW_TRY(run->kernels->gemm(&(gw_gemm_args){.transpose_b = true,
                                              .m = rows,
                                              .n = rows,
                                              .k = width,
                                              .a = k.scaled,
                                              .a_stride = width,
                                              .b = gw_value(run, step->in[1]),
                                              .b_stride = width,
                                              .c = k.logits,
                                              .c_stride = rows,
                                              .scratch = step->scratch}));
    GW_TRY(run->kernels->cross_entropy(&classes));
    return run->kernels->loss_sum(&(gw_loss_sum_args){.rows = rows,
                                                      .parts = 1,
                                                      .loss = classes.loss,
                                                      .label = classes.label,
                                                      .best = classes.best,
                                                      .out = a->out.sum});
}

static gw_status backward(const gw_run *run, const gw_step *step) {
    const kept k = kept_of(run, step);
    const int64_t rows = gw_run_rows(run, step->in[0]), width = step->in[0].width;
    gw_affine_args scale = scaling(run, step, &k);
    gw_cross_entropy_args classes = entropy(run, step, &k);
    classes.gradient = k.logits;
    classes.gradient_scale = run->scale[step->rows];
    GW_TRY(run->kernels->cross_entropy(&classes));
    GW_TRY(run->kernels->gemm(&(gw_gemm_args){.transpose_a = true,
                                              .accumulate = true,
                                              .m = rows,
                                              .n = width,
                                              .k = rows,
                                              .a = k.logits,
                                              .a_stride = rows,
                                              .b = k.scaled,
                                              .b_stride = width,
                                              .c = gw_gradient(run, step->in[1]),
                                              .c_stride = width,
                                              .scratch = step->scratch}));
    GW_TRY(run->kernels->gemm(&(gw_gemm_args){.m = rows,
                                              .n = width,
                                              .k = rows,
                                              .a = k.logits,
                                              .a_stride = rows,
                                              .b = gw_value(run, step->in[1]),
                                              .b_stride = width,
                                              .c = k.scaled,
                                              .c_stride = width,
                                              .scratch = step->scratch}));
    scale.out_gradient = k.scaled;
    scale.in_gradient = gw_gradient(run, step->in[0]);
    scale.weight_gradient = k.unread;
    scale.bias_gradient = k.unread + width;
    return run->kernels->affine_backward(&scale);
}

static void size_scratch(gw_plan *plan, gw_step *step) {
    const int64_t rows = gw_plan_most(plan, step->in[0]), width = step->in[0].width;
    const gw_affine_args scale = {.rows = rows, .width = width};
    step->saved_floats = rows * width + rows * rows + 4 * width;
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.m = rows, .n = rows, .k = width});
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.m = rows, .n = width, .k = rows});
    gw_plan_launches(plan, step, GW_OP_gemm, &(gw_gemm_args){.transpose_a = true, .m = rows, .n = width, .k = rows});
    gw_plan_launches(plan, step, GW_OP_affine, &scale);
    gw_plan_launches(plan, step, GW_OP_cross_entropy, &(gw_cross_entropy_args){.rows = rows, .classes = rows});
    if (plan->training) gw_plan_launches(plan, step, GW_OP_affine_backward, &scale);
}

static const gw_plan_op contrast_op = {
    .name = "contrast", .forward = forward, .backward = backward, .size_scratch = size_scratch, .reads_in = true};

void gw_plan_contrast_loss(gw_plan *plan, gw_tensor predicted, gw_tensor encoded) {
    float *scale = gw_plan_alloc(plan, predicted.width, sizeof *scale);
    assert(predicted.width == encoded.width && gw_plan_most(plan, predicted) == gw_plan_most(plan, encoded));
    for (int64_t i = 0; scale && i < predicted.width; i++) scale[i] = (float)(1 / sqrt((double)predicted.width));
    const contrast_arguments arguments = {gw_plan_loss(plan, predicted.rows, 1, true), scale};
    gw_plan_append(plan, &contrast_op, &arguments, sizeof arguments, (gw_tensor[]){predicted, encoded}, 2,
                   predicted.rows, 0);
}
