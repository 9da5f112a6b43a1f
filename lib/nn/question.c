// SPDX-License-Identifier: MIT
// Question answering: the logits [tokens][2] of an answer's first and last token, of which each sequence has one.
#include "nn/layers.h"

typedef struct {
    gw_tensor logits;
} mask_step;

static gw_status mask_forward(const gw_run *run, const void *arguments) {
    const mask_step *step = arguments;
    const gw_rows *stream = &run->batch->of[step->logits.rows];
    return run->kernels->question_mask(&(gw_question_mask_args){
        .sequences = stream->sequences,
        .width = step->logits.width,
        .start = stream->start,
        .question = stream->prefix,
        .logit = step->logits.value,
    });
}

void gw_plan_question_mask(gw_plan *plan, gw_tensor logits) {
    const mask_step step = {logits};
    gw_plan_append(plan, logits.rows, mask_forward, NULL, &step, sizeof step);
}

typedef struct {
    gw_tensor logits;
    int answers; // row set with the labels
    float *scratch;
    gw_loss out; // [sequences][GW_SPAN_ENDS]
} span_step;

static gw_span_loss_args span_arguments(const gw_run *run, const span_step *step) {
    const gw_rows *stream = &run->batch->of[step->logits.rows];
    return (gw_span_loss_args){
        .sequences = stream->sequences,
        .tokens = stream->count,
        .start = stream->start,
        .logit = step->logits.value,
        .label = run->batch->of[step->answers].label,
        .loss = step->out.loss,
        .best = step->out.best,
        .scratch = step->scratch,
    };
}

static gw_status span_forward(const gw_run *run, const void *arguments) {
    const span_step *step = arguments;
    const gw_span_loss_args args = span_arguments(run, step);
    GW_TRY(run->kernels->span_loss(&args));
    return run->kernels->loss_sum(&(gw_loss_sum_args){.rows = args.sequences,
                                                      .parts = GW_SPAN_ENDS,
                                                      .loss = args.loss,
                                                      .label = args.label,
                                                      .best = args.best,
                                                      .out = step->out.sum});
}

static gw_status span_backward(const gw_run *run, const void *arguments) {
    const span_step *step = arguments;
    gw_span_loss_args args = span_arguments(run, step);
    args.gradient = step->logits.gradient;
    args.gradient_scale = run->scale[step->answers] / GW_SPAN_ENDS;
    return run->kernels->span_loss(&args);
}

gw_loss gw_plan_span_loss(gw_plan *plan, gw_tensor logits, int answers) {
    const int64_t rows = plan->rows[logits.rows].most_sequences * GW_SPAN_ENDS;
    const span_step step = {logits, answers, gw_plan_scratch(plan, gw_plan_most(plan, logits) * GW_SPAN_ENDS),
                            gw_plan_loss(plan, rows, true)};
    gw_plan_append(plan, logits.rows, span_forward, span_backward, &step, sizeof step);
    return step.out;
}
