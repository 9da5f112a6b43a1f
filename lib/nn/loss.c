// SPDX-License-Identifier: MIT
// Losses on logits. The backward pass starts here: it writes factor * (d loss / d logit) over the logits.
#include "nn/layers.h"

typedef struct {
    gw_tensor logits;
    gw_loss out;
    bool choice; // the classes are sequences, not columns
    float positive_weight;
} loss_step;

static gw_cross_entropy_args classes_arguments(const gw_run *run, const loss_step *step) {
    const int64_t rows = run->rows[step->logits.rows], classes = step->choice ? run->choices : step->logits.width;
    return (gw_cross_entropy_args){
        .rows = step->choice ? rows / classes : rows,
        .classes = classes,
        .logit = step->logits.value,
        .logit_stride = classes,
        .label = run->class_label[step->logits.rows],
        .loss = step->out.loss,
        .best = step->out.best,
    };
}

static gw_status classes_forward(const gw_run *run, const void *arguments) {
    const loss_step *step = arguments;
    const gw_cross_entropy_args args = classes_arguments(run, step);
    GW_TRY(run->kernels->cross_entropy(&args));
    return run->kernels->loss_sum(&(gw_loss_sum_args){.rows = args.rows,
                                                      .parts = 1,
                                                      .loss = args.loss,
                                                      .label = args.label,
                                                      .best = args.best,
                                                      .out = step->out.sum});
}

static gw_status classes_backward(const gw_run *run, const void *arguments) {
    const loss_step *step = arguments;
    gw_cross_entropy_args args = classes_arguments(run, step);
    args.gradient = step->logits.gradient;
    args.gradient_scale = run->class_scale[step->logits.rows];
    return run->kernels->cross_entropy(&args);
}

gw_loss gw_plan_loss(gw_plan *plan, int64_t rows, bool classes) {
    return (gw_loss){gw_plan_take(plan, rows, sizeof(float)),
                     classes ? gw_plan_take(plan, rows, sizeof(int32_t)) : NULL,
                     gw_plan_take(plan, 1, sizeof(gw_loss_sum))};
}

static gw_loss classes_loss(gw_plan *plan, gw_tensor logits, bool choice) {
    const gw_loss out = gw_plan_loss(plan, plan->most[logits.rows], true);
    const loss_step step = {.logits = logits, .out = out, .choice = choice};
    gw_plan_append(plan, logits.rows, classes_forward, classes_backward, &step, sizeof step);
    return out;
}

gw_loss gw_plan_cross_entropy(gw_plan *plan, gw_tensor logits) {
    return classes_loss(plan, logits, false);
}

gw_loss gw_plan_choice_loss(gw_plan *plan, gw_tensor logits) {
    return classes_loss(plan, logits, true);
}

static gw_status sum_numbers(const gw_run *run, const loss_step *step) {
    return run->kernels->loss_sum(&(gw_loss_sum_args){.rows = run->rows[step->logits.rows] * step->logits.width,
                                                      .parts = 1,
                                                      .loss = step->out.loss,
                                                      .number = run->label,
                                                      .out = step->out.sum});
}

static gw_bce_args bce_arguments(const gw_run *run, const loss_step *step) {
    return (gw_bce_args){
        .count = run->rows[step->logits.rows] * step->logits.width,
        .logit = step->logits.value,
        .label = run->label,
        .positive_weight = step->positive_weight,
        .loss = step->out.loss,
    };
}

static gw_status bce_forward(const gw_run *run, const void *arguments) {
    const gw_bce_args args = bce_arguments(run, arguments);
    GW_TRY(run->kernels->bce(&args));
    return sum_numbers(run, arguments);
}

static gw_status bce_backward(const gw_run *run, const void *arguments) {
    const loss_step *step = arguments;
    gw_bce_args args = bce_arguments(run, step);
    args.gradient = step->logits.gradient;
    args.gradient_scale = run->label_scale;
    return run->kernels->bce(&args);
}

gw_loss gw_plan_bce(gw_plan *plan, gw_tensor logits, double positive_weight) {
    const gw_loss out = gw_plan_loss(plan, plan->most[logits.rows] * logits.width, false);
    const loss_step step = {.logits = logits, .out = out, .positive_weight = (float)positive_weight};
    gw_plan_append(plan, logits.rows, bce_forward, bce_backward, &step, sizeof step);
    return out;
}

static gw_squared_error_args squares_arguments(const gw_run *run, const loss_step *step) {
    return (gw_squared_error_args){
        .count = run->rows[step->logits.rows] * step->logits.width,
        .logit = step->logits.value,
        .label = run->label,
        .loss = step->out.loss,
    };
}

static gw_status squares_forward(const gw_run *run, const void *arguments) {
    const gw_squared_error_args args = squares_arguments(run, arguments);
    GW_TRY(run->kernels->squared_error(&args));
    return sum_numbers(run, arguments);
}

static gw_status squares_backward(const gw_run *run, const void *arguments) {
    const loss_step *step = arguments;
    gw_squared_error_args args = squares_arguments(run, step);
    args.gradient = step->logits.gradient;
    args.gradient_scale = run->label_scale;
    return run->kernels->squared_error(&args);
}

gw_loss gw_plan_squared_error(gw_plan *plan, gw_tensor logits) {
    const gw_loss out = gw_plan_loss(plan, plan->most[logits.rows] * logits.width, false);
    const loss_step step = {.logits = logits, .out = out};
    gw_plan_append(plan, logits.rows, squares_forward, squares_backward, &step, sizeof step);
    return out;
}
