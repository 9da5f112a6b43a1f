// SPDX-License-Identifier: MIT
// From a caller's batch to a run of the plan: what does not fit is refused, what is absent is filled in.
#include "model/network_private.h"

#include <math.h>

void gw_network_fill_absent(gw_network *network) {
    for (int64_t i = 0; i < network->no_class_count; i++) network->no_class[i] = -1;
    const int64_t labels = network->options.sequences * network->model->config.labels;
    for (int64_t i = 0; i < labels; i++) network->no_label[i] = NAN;
}

static gw_status out_of_room(const char *what, int64_t found, int64_t most) {
    return gw_fail(GW_ERR_RANGE, "a batch has %lld %s, the network was made for %lld", (long long)found, what,
                   (long long)most);
}

// Tokens that sequences of a batch may have: the model's positions, or what they are padded to.
static gw_status check_length(const gw_network *network, const gw_batch *batch, int64_t length) {
    const int64_t positions = gw_config_longest(&network->model->config);
    if (length < 1 || length > positions)
        return gw_fail(GW_ERR_RANGE, "a sequence of %lld tokens; the model has %lld positions", (long long)length,
                       (long long)positions);
    if (batch->pad_to == 0 || (length <= batch->pad_to && batch->pad_to <= positions)) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "a sequence of %lld tokens cannot be padded to %lld; the model has %lld positions",
                   (long long)length, (long long)batch->pad_to, (long long)positions);
}

static gw_status check_rows(const gw_network *network, const gw_batch *batch) {
    const gw_network_options *options = &network->options;
    const int64_t tokens = batch->start[batch->sequences];
    if (batch->sequences < 1 || batch->sequences > options->sequences)
        return out_of_room("sequences", batch->sequences, options->sequences);
    if (tokens > options->tokens) return out_of_room("tokens", tokens, options->tokens);
    if (batch->masked > options->masked) return out_of_room("masked tokens", batch->masked, options->masked);
    for (int s = 0; s < batch->sequences; s++)
        GW_TRY(check_length(network, batch, batch->start[s + 1] - batch->start[s]));
    if (batch->choices > 0 && batch->sequences % batch->choices != 0)
        return gw_fail(GW_ERR_RANGE, "a batch of %d sequences is not a multiple of the %d choices of a question",
                       batch->sequences, batch->choices);
    return GW_OK;
}

static gw_status check_indices(const gw_network *network, const gw_batch *batch) {
    const gw_config *config = &network->model->config;
    const int64_t tokens = batch->start[batch->sequences];
    for (int64_t i = 0; i < tokens; i++) {
        if (batch->token[i] < 0 || batch->token[i] >= config->vocabulary)
            return gw_fail(GW_ERR_RANGE, "token %d of the batch is outside the model's vocabulary of %lld",
                           batch->token[i], (long long)config->vocabulary);
        if (batch->segment && (batch->segment[i] < 0 || batch->segment[i] >= config->segments))
            return gw_fail(GW_ERR_RANGE, "segment %d of the batch is outside the model's %lld", batch->segment[i],
                           (long long)config->segments);
    }
    for (int64_t i = 0; i < batch->masked; i++) {
        if (batch->masked_row[i] < 0 || batch->masked_row[i] >= tokens)
            return gw_fail(GW_ERR_RANGE, "masked row %d of the batch is outside its %lld tokens", batch->masked_row[i],
                           (long long)tokens);
        if (batch->masked_label && batch->masked_label[i] >= config->vocabulary)
            return gw_fail(GW_ERR_RANGE, "masked label %d of the batch is outside the model's vocabulary of %lld",
                           batch->masked_label[i], (long long)config->vocabulary);
    }
    for (int s = 0; batch->pair_label && s < batch->sequences; s++)
        if (batch->pair_label[s] > 1) return gw_fail(GW_ERR_RANGE, "pair label %d is not 0 or 1", batch->pair_label[s]);
    return GW_OK;
}

static int64_t choices_of(const gw_batch *batch) {
    return batch->choices > 0 ? batch->choices : 1;
}

static gw_status check_classes(const gw_network *network, const gw_batch *batch) {
    const bool choice = network->head == GW_HEAD_CHOICE;
    const int64_t classes = choice ? choices_of(batch) : network->model->config.labels;
    int64_t rows = network->head == GW_HEAD_TOKEN ? batch->start[batch->sequences] : batch->sequences;
    if (choice) rows /= classes;
    for (int64_t i = 0; batch->class_label && i < rows; i++)
        if (batch->class_label[i] >= classes)
            return gw_fail(GW_ERR_RANGE, "class %d of the batch is outside the %lld that there are",
                           batch->class_label[i], (long long)classes);
    return GW_OK;
}

static gw_status check_spans(const gw_batch *batch) {
    for (int s = 0; batch->span_label && s < batch->sequences; s++) {
        const int32_t first = batch->span_label[2 * s], last = batch->span_label[2 * s + 1];
        const int64_t length = batch->start[s + 1] - batch->start[s];
        if (first >= length || last >= length || (first < 0) != (last < 0))
            return gw_fail(GW_ERR_RANGE, "an answer from token %d to %d of a sequence of %lld", first, last,
                           (long long)length);
    }
    return GW_OK;
}

gw_status gw_network_check(const gw_network *network, const gw_batch *batch) {
    GW_TRY(check_rows(network, batch));
    GW_TRY(check_indices(network, batch));
    GW_TRY(check_classes(network, batch));
    return check_spans(batch);
}

// RoBERTa's tokens count from pad + 1, and padding in their midst stays at pad.
static void place_tokens(gw_network *network, const gw_batch *batch, int s) {
    const gw_config *config = &network->model->config;
    int32_t position = (int32_t)gw_network_first_position(config);
    for (int64_t i = batch->start[s]; i < batch->start[s + 1]; i++) {
        const bool padding = config->family == GW_FAMILY_ROBERTA && batch->token[i] == config->pad;
        network->position[i] = padding ? (int32_t)config->pad : position++;
    }
}

// A question is what comes up to the first separator, which is its last token; without one it is the first token.
static int32_t question_tokens(const gw_config *config, const int32_t *token, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (token[i] == config->separator) return (int32_t)i + 1;
    return 1;
}

void gw_network_place(gw_network *network, const gw_batch *batch) {
    const bool split = gw_network_splits_questions(network);
    for (int s = 0; s < batch->sequences; s++) {
        const int64_t begin = batch->start[s], end = batch->start[s + 1];
        network->first_row[s] = (int32_t)begin;
        place_tokens(network, batch, s);
        if (!split) continue;
        network->question[s] = question_tokens(&network->model->config, batch->token + begin, end - begin);
        for (int64_t i = begin; i < end; i++) network->segment[i] = i - begin >= network->question[s];
    }
}

gw_run gw_network_run(const gw_network *network, const gw_batch *batch) {
    const int32_t *none = network->no_class, *class_label = batch->class_label ? batch->class_label : none;
    const int32_t *pair_label = batch->pair_label ? batch->pair_label : none;
    return (gw_run){
        .kernels = network->plan.kernels,
        .rows = {[GW_ROWS_TOKENS] = batch->start[batch->sequences],
                 [GW_ROWS_MASKED] = batch->masked,
                 [GW_ROWS_SEQUENCES] = batch->sequences},
        .start = batch->start,
        .token = batch->token,
        .position = network->position,
        .segment = batch->segment ? batch->segment : network->segment,
        .row = {[GW_ROWS_MASKED] = batch->masked_row, [GW_ROWS_SEQUENCES] = network->first_row},
        .class_label = {[GW_ROWS_MASKED] = batch->masked_label ? batch->masked_label : none,
                        [GW_ROWS_TOKENS] = class_label,
                        [GW_ROWS_SEQUENCES] = network->head == GW_HEAD_PRETRAINING ? pair_label : class_label},
        .label = batch->label ? batch->label : network->no_label,
        .choices = choices_of(batch),
        .question = network->question,
        .span_label = batch->span_label ? batch->span_label : none,
        .pad_to = batch->pad_to,
        .seed = network->options.seed,
        .step = batch->step,
        .first_token = batch->first_token,
    };
}
