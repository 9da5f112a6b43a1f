// SPDX-License-Identifier: MIT
// Question answering: logits [tokens][2] = W h + b for an answer's first and last token, or for as many columns as
// config.json names; the batch's choices are among them (language/questions.c). Families that separate questions have a
// feed-forward block before them, LN(h + dropout(W_2 act(W_1 dropout(h)))), and the context is segment 1.
#include "model/head.h"
#include "network/heads/pooled.h"
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

// logits less 1e6 for a sequence's tokens that cannot start or end an answer: those of the question but the first.
static gw_tensor question_mask(gw_plan *plan, gw_tensor logits) {
    gw_plan_needs(plan, GW_OP_question_mask);
    return gw_plan_append(plan, &mask_op, NULL, 0, &logits, 1, logits.rows, logits.width);
}

typedef struct {
    int answers; // row set with the labels
    gw_loss out; // [sequences][GW_SPAN_ENDS]
} span_arguments;

static gw_span_loss_args span_args(const gw_run *run, const gw_step *step) {
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
    const gw_span_loss_args args = span_args(run, step);
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
    gw_span_loss_args args = span_args(run, step);
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

// Two logits a token; a sequence's tokens are the classes of its first and of its last token of an answer, the two
// labels of each row of `answers`. Two losses a sequence, whose mean counts.
static void span_loss(gw_plan *plan, gw_tensor logits, int answers) {
    const span_arguments arguments = {answers, gw_plan_loss(plan, answers, GW_SPAN_ENDS, true)};
    gw_plan_append(plan, &span_op, &arguments, sizeof arguments, &logits, 1, logits.rows, 0);
    gw_plan_output(plan, logits);
}

typedef struct {
    int choices; // stream
    gw_loss out; // [choices], room for as many as entries
} choice_arguments;

static gw_choice_loss_args choice_args(const gw_run *run, const gw_step *step) {
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
    const gw_choice_loss_args args = choice_args(run, step);
    GW_TRY(run->kernels->choice_loss(&args));
    return run->kernels->loss_sum(&(gw_loss_sum_args){
        .rows = args.choices, .parts = 1, .loss = args.loss, .number = args.loss, .out = a->out.sum});
}

static gw_status choice_backward(const gw_run *run, const gw_step *step) {
    const choice_arguments *a = step->arguments;
    gw_choice_loss_args args = choice_args(run, step);
    args.gradient = gw_gradient(run, step->in[0]);
    args.gradient_scale = run->scale[a->choices];
    return run->kernels->choice_loss(&args);
}

static const gw_plan_op choice_op = {
    .name = "choice_loss", .forward = choice_forward, .backward = choice_backward, .reads_in = true, .overwrites = 1};

// Choices among any logits: a stream whose sequences are choices and whose rows their entries, token: the number of a
// logit or -1, number: 0, or the weight of a right one (gw_choice_loss_args). A loss per choice.
static void choice_loss(gw_plan *plan, gw_tensor logits, int choices) {
    const choice_arguments arguments = {choices, gw_plan_loss(plan, choices, 1, false)};
    gw_plan_needs(plan, GW_OP_choice_loss);
    gw_plan_append(plan, &choice_op, &arguments, sizeof arguments, &logits, 1, logits.rows, 0);
    gw_plan_output(plan, logits);
}

static gw_tensor block(gw_builder *b, gw_tensor hidden) {
    const gw_config *config = b->config;
    const int64_t width = config->width, wide = config->feed_forward;
    gw_tensor x = gw_plan_dropout(b->plan, hidden, (gw_dropout){config->dropout, GW_DROPOUT_HEAD_IN});
    x = gw_build_linear(b, x, GW_ROLE_SPAN_FEED_FORWARD, "qa_classifier.intermediate.dense", wide, true);
    x = gw_plan_activation(b->plan, x, config->activation);
    x = gw_build_linear(b, x, GW_ROLE_SPAN_OUTPUT, "qa_classifier.output.dense", width, true);
    x = gw_plan_dropout(b->plan, x, (gw_dropout){config->dropout, GW_DROPOUT_HEAD_OUT});
    return gw_build_norm(b, gw_plan_sum(b->plan, x, hidden), GW_ROLE_SPAN_NORM, "qa_classifier.output.LayerNorm");
}

static void describe(gw_builder *b, gw_tensor hidden) {
    const gw_config *config = b->config;
    const bool split = b->of.question_block;
    if (split && config->segments < 2 && !b->lists && b->plan->status == GW_OK)
        b->plan->status =
            gw_fail(GW_ERR_UNSUPPORTED, "question answering sets context apart as segment 1; the model has %lld",
                    (long long)config->segments);
    gw_tensor x = split ? block(b, hidden) : hidden;
    if (!split && b->of.transforms == GW_TRANSFORMS_ALL) // what that makes is dropped as a classifier's rows are
        x = gw_plan_dropout(b->plan, gw_head_transform(b, hidden),
                            (gw_dropout){config->classifier_dropout, GW_DROPOUT_HEAD_OUT});
    x = gw_build_linear(b, x, GW_ROLE_LOGITS, split ? "qa_classifier.qa_outputs" : b->of.questions,
                        config->labels > 0 ? config->labels : GW_SPAN_ENDS, true);
    if (split) x = question_mask(b->plan, x);
    if (config->labels > 0) choice_loss(b->plan, x, GW_ROWS_CHOICES);
    else span_loss(b->plan, x, GW_ROWS_FIRST);
}

// A question is what comes up to the first separator, which is its last token; without one it is the first token.
static void add_inputs(gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_rows *tokens = &network->batch.of[GW_ROWS_TOKENS];
    for (int64_t s = 0; network->builder.of.question_block && s < tokens->sequences; s++) {
        const int64_t begin = tokens->start[s], end = tokens->start[s + 1];
        int64_t at = begin;
        while (at < end && tokens->token[at] != config->separator) at++;
        network->prefix[s] = at < end ? (int32_t)(at - begin + 1) : 1;
        for (int64_t i = begin; i < end; i++) network->segment[i] = i - begin >= network->prefix[s];
    }
}

static gw_status check_labels(const gw_network *network) {
    const gw_rows *tokens = &network->batch.of[GW_ROWS_TOKENS], *own = &network->batch.of[GW_ROWS_CHOICES];
    const int64_t logits = tokens->count * network->model->config.labels;
    for (int64_t i = 0; logits > 0 && i < own->count; i++)
        if (own->token[i] < -1 || own->token[i] >= logits)
            return gw_fail(GW_ERR_RANGE, "a choice of the logit %d of %lld", own->token[i], (long long)logits);
    if (network->model->config.labels > 0) return GW_OK;
    for (int64_t s = 0; s < tokens->sequences; s++) {
        const int32_t *label = network->batch.of[GW_ROWS_FIRST].label + GW_SPAN_ENDS * s;
        const int64_t length = tokens->start[s + 1] - tokens->start[s];
        if (label[0] >= length || label[1] >= length || (label[0] < 0) != (label[1] < 0))
            return gw_fail(GW_ERR_RANGE, "an answer from token %d to %d of a sequence of %lld", label[0], label[1],
                           (long long)length);
    }
    return GW_OK;
}

const gw_head_row gw_head_span = {
    .suffix = "ForQuestionAnswering",
    .columns = true,
    .answers = true,
    .pooler = GW_POOLER_ABSENT,
    .tokens = true,
    .describe = describe,
    .own = GW_OWN_CHOICES,
    .add_inputs = add_inputs,
    .check_labels = check_labels,
};
