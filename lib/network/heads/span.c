// SPDX-License-Identifier: MIT
// Question answering: logits [tokens][2] = W h + b of an answer's first and last token, or of as many columns as
// config.json names, among which the batch's choices are (language/questions.c). Families that split questions
// have a feed-forward block before them, LN(h + dropout(W_2 act(W_1 dropout(h)))), and set context apart as segment 1.
#include "model/head.h"
#include "network/heads/transform.h"

static int64_t columns(const gw_config *config) {
    return config->labels > 0 ? config->labels : GW_SPAN_ENDS;
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

// Of a family with a layer before the logits of all heads: what that makes, dropped as a classifier's rows are.
static gw_tensor transformed(gw_builder *b, gw_tensor hidden) {
    const gw_dropout dropout = {b->config->classifier_dropout, GW_DROPOUT_HEAD_OUT};
    if (b->of.transforms != GW_TRANSFORMS_ALL) return hidden;
    return gw_plan_dropout(b->plan, gw_head_transform(b, hidden), dropout);
}

static void describe(gw_builder *b, gw_tensor hidden) {
    const bool split = b->of.question_block;
    if (split && b->config->segments < 2 && !b->lists && b->plan->status == GW_OK)
        b->plan->status =
            gw_fail(GW_ERR_UNSUPPORTED, "question answering sets context apart as segment 1; the model has %lld",
                    (long long)b->config->segments);
    gw_tensor x = split ? block(b, hidden) : transformed(b, hidden);
    x = gw_build_linear(b, x, GW_ROLE_LOGITS, split ? "qa_classifier.qa_outputs" : b->of.questions, columns(b->config),
                        true);
    if (split) x = gw_plan_question_mask(b->plan, x);
    if (b->config->labels > 0) gw_plan_choice_loss(b->plan, x, GW_ROWS_CHOICES);
    else gw_plan_span_loss(b->plan, x, GW_ROWS_FIRST);
}

// A question is what comes up to the first separator, which is its last token; without one it is the first token.
static int32_t question_tokens(const gw_config *config, const int32_t *token, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (token[i] == config->separator) return (int32_t)i + 1;
    return 1;
}

static void add_inputs(gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_rows *tokens = &network->batch.of[GW_ROWS_TOKENS];
    for (int64_t s = 0; network->builder.of.question_block && s < tokens->sequences; s++) {
        const int64_t begin = tokens->start[s], end = tokens->start[s + 1];
        network->prefix[s] = question_tokens(config, tokens->token + begin, end - begin);
        for (int64_t i = begin; i < end; i++) network->segment[i] = i - begin >= network->prefix[s];
    }
}

static gw_status check_choices(const gw_network *network) {
    const gw_rows *own = &network->batch.of[GW_ROWS_CHOICES], *tokens = &network->batch.of[GW_ROWS_TOKENS];
    const int64_t logits = tokens->count * network->model->config.labels;
    for (int64_t i = 0; i < own->count; i++)
        if (own->token[i] < -1 || own->token[i] >= logits)
            return gw_fail(GW_ERR_RANGE, "a choice of the logit %d of %lld", own->token[i], (long long)logits);
    return GW_OK;
}

static gw_status check_labels(const gw_network *network) {
    if (network->model->config.labels > 0) return check_choices(network);
    const gw_rows *tokens = &network->batch.of[GW_ROWS_TOKENS];
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
