// SPDX-License-Identifier: MIT
// Losses on logits. The backward pass starts here: it writes factor * (d loss / d logit) over the logits.
#include "nn/layers.h"

#include <assert.h>

typedef struct {
    gw_tensor logits;
    gw_loss out;
    int labels; // the row set that has them: the logits' own, or questions, whose classes are rows of the logits
    float positive_weight;
} loss_step;

static gw_cross_entropy_args classes_arguments(const gw_run *run, const loss_step *step) {
    const gw_rows *labelled = &run->batch->of[step->labels];
    const int64_t classes = gw_run_rows(run, step->logits) * step->logits.width / labelled->count;
    return (gw_cross_entropy_args){
        .rows = labelled->count,
        .classes = classes,
        .logit = step->logits.value,
        .logit_stride = classes,
        .label = labelled->label,
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
    args.gradient_scale = run->scale[step->labels];
    return run->kernels->cross_entropy(&args);
}

gw_loss gw_plan_loss(gw_plan *plan, int64_t rows, bool classes) {
    return (gw_loss){gw_plan_take(plan, rows, sizeof(float)),
                     classes ? gw_plan_take(plan, rows, sizeof(int32_t)) : NULL,
                     gw_plan_take(plan, 1, sizeof(gw_loss_sum))};
}

static gw_loss classes_loss(gw_plan *plan, gw_tensor logits, int labels) {
    const gw_loss out = gw_plan_loss(plan, gw_plan_most(plan, logits), true);
    const loss_step step = {.logits = logits, .out = out, .labels = labels};
    gw_plan_append(plan, labels, classes_forward, classes_backward, &step, sizeof step);
    return out;
}

gw_loss gw_plan_cross_entropy(gw_plan *plan, gw_tensor logits) {
    return classes_loss(plan, logits, logits.rows);
}

gw_loss gw_plan_multiple_choice_loss(gw_plan *plan, gw_tensor logits, int questions) {
    assert(logits.width == 1);
    return classes_loss(plan, logits, questions);
}

static gw_status sum_numbers(const gw_run *run, const loss_step *step) {
    return run->kernels->loss_sum(&(gw_loss_sum_args){.rows = gw_run_rows(run, step->logits) * step->logits.width,
                                                      .parts = 1,
                                                      .loss = step->out.loss,
                                                      .number = run->batch->of[step->logits.rows].number,
                                                      .out = step->out.sum});
}

static gw_bce_args bce_arguments(const gw_run *run, const loss_step *step) {
    return (gw_bce_args){
        .count = gw_run_rows(run, step->logits) * step->logits.width,
        .logit = step->logits.value,
        .label = run->batch->of[step->logits.rows].number,
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
    args.gradient_scale = run->scale[step->logits.rows];
    return run->kernels->bce(&args);
}

gw_loss gw_plan_bce(gw_plan *plan, gw_tensor logits, double positive_weight) {
    const gw_loss out = gw_plan_loss(plan, gw_plan_most(plan, logits) * logits.width, false);
    const loss_step step = {.logits = logits, .out = out, .positive_weight = (float)positive_weight};
    gw_plan_append(plan, logits.rows, bce_forward, bce_backward, &step, sizeof step);
    return out;
}

static gw_squared_error_args squares_arguments(const gw_run *run, const loss_step *step) {
    return (gw_squared_error_args){
        .count = gw_run_rows(run, step->logits) * step->logits.width,
        .logit = step->logits.value,
        .label = run->batch->of[step->logits.rows].number,
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
    args.gradient_scale = run->scale[step->logits.rows];
    return run->kernels->squared_error(&args);
}

gw_loss gw_plan_squared_error(gw_plan *plan, gw_tensor logits) {
    const gw_loss out = gw_plan_loss(plan, gw_plan_most(plan, logits) * logits.width, false);
    const loss_step step = {.logits = logits, .out = out};
    gw_plan_append(plan, logits.rows, squares_forward, squares_backward, &step, sizeof step);
    return out;
}
