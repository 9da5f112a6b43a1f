// SPDX-License-Identifier: MIT
// Question answering: the logits [tokens][2] of an answer's first and last token, of which each sequence has one; and
// choices among the logits of tokens.
#include "nn/layers.h"

static gw_status mask_forward(const gw_run *run, const gw_step *step) {
    const gw_tensor logits = step->out[0];
    const gw_rows *stream = gw_run_inputs(run, logits.rows);
    return run->kernels->question_mask(&(gw_question_mask_args){
        .sequences = stream->sequences,
        .width = logits.width,
        .start = stream->start,
        .question = stream->prefix,
        .logit = gw_value(run, logits),
    });
}

static const gw_plan_op mask_op = {.name = "question_mask", .forward = mask_forward, .must_be_in_place = true};

gw_tensor gw_plan_question_mask(gw_plan *plan, gw_tensor logits) {
    gw_plan_needs(plan, GW_OP_question_mask);
    return gw_plan_append(plan, &mask_op, NULL, 0, &logits, 1, logits.rows, logits.width);
}

typedef struct {
    int answers; // row set with the labels
    gw_loss out; // [sequences][GW_SPAN_ENDS]
} span_arguments;

static gw_span_loss_args arguments_of(const gw_run *run, const gw_step *step) {
    const span_arguments *a = step->arguments;
    const gw_tensor logits = step->in[0];
    const gw_rows *stream = gw_run_inputs(run, logits.rows);
    return (gw_span_loss_args){
        .sequences = stream->sequences,
        .tokens = stream->count,
        .start = stream->start,
        .logit = gw_value(run, logits),
        .label = gw_run_inputs(run, a->answers)->label,
        .loss = a->out.loss,
        .best = a->out.best,
        .scratch = step->scratch,
    };
}

static gw_status span_forward(const gw_run *run, const gw_step *step) {
    const span_arguments *a = step->arguments;
    const gw_span_loss_args args = arguments_of(run, step);
    GW_TRY(run->kernels->span_loss(&args));
    return run->kernels->loss_sum(&(gw_loss_sum_args){.rows = args.sequences,
                                                      .parts = GW_SPAN_ENDS,
                                                      .loss = args.loss,
                                                      .label = args.label,
                                                      .best = args.best,
                                                      .out = a->out.sum});
}

static gw_status span_backward(const gw_run *run, const gw_step *step) {
    const span_arguments *a = step->arguments;
    gw_span_loss_args args = arguments_of(run, step);
    args.gradient = gw_gradient(run, step->in[0]);
    args.gradient_scale = run->scale[a->answers] / GW_SPAN_ENDS;
    return run->kernels->span_loss(&args);
}

static void size_span_scratch(gw_plan *plan, gw_step *step) {
    const gw_tensor logits = step->in[0];
    gw_plan_launches(plan, step, GW_OP_span_loss,
                     &(gw_span_loss_args){.sequences = plan->rows[logits.rows].most_sequences,
                                          .tokens = gw_plan_most(plan, logits)});
}

static const gw_plan_op span_op = {.name = "span_loss",
                                   .forward = span_forward,
                                   .backward = span_backward,
                                   .size_scratch = size_span_scratch,
                                   .gradient_over_value = true,
                                   .reads_in = true,
                                   .overwrites = 1};

void gw_plan_span_loss(gw_plan *plan, gw_tensor logits, int answers) {
    const span_arguments arguments = {answers, gw_plan_loss(plan, answers, GW_SPAN_ENDS, true)};
    gw_plan_append(plan, &span_op, &arguments, sizeof arguments, &logits, 1, logits.rows, 0);
    gw_plan_output(plan, logits);
}

typedef struct {
    int choices; // stream
    gw_loss out; // [choices], room for as many as entries
} choice_arguments;

static gw_choice_loss_args choices_of(const gw_run *run, const gw_step *step) {
    const choice_arguments *a = step->arguments;
    const gw_tensor logits = step->in[0];
    const gw_rows *stream = gw_run_inputs(run, a->choices);
    return (gw_choice_loss_args){
        .choices = stream->count > 0 ? stream->sequences : 0,
        .logits = gw_run_rows(run, logits) * logits.width,
        .start = stream->start,
        .entry = stream->token,
        .number = stream->number,
        .logit = gw_value(run, logits),
        .loss = a->out.loss,
    };
}

static gw_status choice_forward(const gw_run *run, const gw_step *step) {
    const choice_arguments *a = step->arguments;
    const gw_choice_loss_args args = choices_of(run, step);
    GW_TRY(run->kernels->choice_loss(&args));
    return run->kernels->loss_sum(&(gw_loss_sum_args){
        .rows = args.choices, .parts = 1, .loss = args.loss, .number = args.loss, .out = a->out.sum});
}

static gw_status choice_backward(const gw_run *run, const gw_step *step) {
    const choice_arguments *a = step->arguments;
    gw_choice_loss_args args = choices_of(run, step);
    args.gradient = gw_gradient(run, step->in[0]);
    args.gradient_scale = run->scale[a->choices];
    return run->kernels->choice_loss(&args);
}

static const gw_plan_op choice_op = {
    .name = "choice_loss", .forward = choice_forward, .backward = choice_backward, .reads_in = true, .overwrites = 1};

void gw_plan_choice_loss(gw_plan *plan, gw_tensor logits, int choices) {
    const choice_arguments arguments = {choices, gw_plan_loss(plan, choices, 1, false)};
    gw_plan_needs(plan, GW_OP_choice_loss);
    gw_plan_append(plan, &choice_op, &arguments, sizeof arguments, &logits, 1, logits.rows, 0);
    gw_plan_output(plan, logits);
}
