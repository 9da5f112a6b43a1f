// SPDX-License-Identifier: MIT
// From a caller's batch to that of the plan: what does not fit is refused, what is absent is filled in.
#include "model/family.h"
#include "network/network_private.h"

#include <math.h>

void gw_network_fill_absent(gw_network *network) {
    for (int64_t i = 0; i < network->no_class_count; i++) network->no_class[i] = -1;
    for (int64_t i = 0; i < network->no_number_count; i++) network->no_number[i] = NAN;
}

static gw_status out_of_capacity(const char *what, int64_t found, int64_t most) {
    return gw_fail(GW_ERR_RANGE, "a batch has %lld %s, the network was made for %lld", (long long)found, what,
                   (long long)most);
}

// Tokens that sequences of a batch may have: the model's positions, or what they are padded to.
static gw_status check_length(const gw_network *network, int64_t pad_to, int64_t length) {
    const int64_t positions = gw_config_longest(&network->model->config);
    if (length < 1 || length > positions)
        return gw_fail(GW_ERR_RANGE, "a sequence of %lld tokens; the model has %lld positions", (long long)length,
                       (long long)positions);
    if (pad_to == 0 || (length <= pad_to && pad_to <= positions)) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "a sequence of %lld tokens cannot be padded to %lld; the model has %lld positions",
                   (long long)length, (long long)pad_to, (long long)positions);
}

static int64_t padded_to(const gw_network *network, const gw_rows *tokens) {
    return tokens->pad_to != 0 ? tokens->pad_to : network->model->pad_to;
}

static gw_status check_own(const gw_network *network, const gw_batch *batch) {
    const gw_head_own kind = network->head->own;
    const gw_rows *own = &batch->of[GW_ROWS_OWN];
    const int64_t sequences = batch->of[GW_ROWS_TOKENS].sequences, tokens = batch->of[GW_ROWS_TOKENS].start[sequences],
                  most = network->plan.rows[GW_ROWS_OWN].most;
    if (kind == GW_OWN_STREAM) return gw_network_check_targets(network, batch);
    if (own->count > most || (kind == GW_OWN_CHOICES && own->sequences > most))
        return out_of_capacity(kind == GW_OWN_SEQUENCES ? "questions"
                               : kind == GW_OWN_CHOICES ? "entries of choices"
                                                        : "masked tokens",
                               own->count, most);
    if (kind == GW_OWN_SEQUENCES && own->count > 0 && sequences % own->count != 0)
        return gw_fail(GW_ERR_RANGE, "the %lld sequences of a batch are not so many for each of its %lld questions",
                       (long long)sequences, (long long)own->count);
    if (network->head->apart && sequences % 2 != 0)
        return gw_fail(GW_ERR_RANGE, "the %lld sequences of a batch are no pairs", (long long)sequences);
    for (int64_t i = 0; kind == GW_OWN_ROWS && i < own->count; i++)
        if (own->row[i] < 0 || own->row[i] >= tokens)
            return gw_fail(GW_ERR_RANGE, "masked row %d of the batch is outside its %lld tokens", own->row[i],
                           (long long)tokens);
    return GW_OK;
}

static gw_status check_rows(const gw_network *network, const gw_batch *batch) {
    const gw_network_options *options = &network->options;
    const gw_rows *tokens = &batch->of[GW_ROWS_TOKENS];
    const int64_t sequences = tokens->sequences;
    if (sequences < 1 || sequences > options->sequences)
        return out_of_capacity("sequences", sequences, options->sequences);
    if (tokens->start[sequences] > options->tokens)
        return out_of_capacity("tokens", tokens->start[sequences], options->tokens);
    for (int64_t s = 0; s < sequences; s++)
        GW_TRY(check_length(network, padded_to(network, tokens), tokens->start[s + 1] - tokens->start[s]));
    GW_TRY(gw_network_check_globals(network, batch));
    return check_own(network, batch);
}

static gw_status check_indices(const gw_network *network, const gw_batch *batch) {
    const gw_config *config = &network->model->config;
    const gw_rows *tokens = &batch->of[GW_ROWS_TOKENS];
    const int64_t count = tokens->start[tokens->sequences];
    for (int64_t i = 0; i < count; i++) {
        if (tokens->token[i] < 0 || tokens->token[i] >= config->vocabulary)
            return gw_fail(GW_ERR_RANGE, "token %d of the batch is outside the model's vocabulary of %lld",
                           tokens->token[i], (long long)config->vocabulary);
        if (tokens->segment && (tokens->segment[i] < 0 || tokens->segment[i] >= config->segments))
            return gw_fail(GW_ERR_RANGE, "segment %d of the batch is outside the model's %lld", tokens->segment[i],
                           (long long)config->segments);
    }
    return GW_OK;
}

// Tokens count from the first position; where that is pad + 1, padding in their midst stays at pad.
static void set_offsets(gw_network *network, int64_t begin, int64_t end) {
    const gw_config *config = &network->model->config;
    const int32_t *token = network->batch.of[GW_ROWS_TOKENS].token;
    const int64_t first = gw_config_first_position(config);
    int32_t position = (int32_t)first;
    for (int64_t i = begin; i < end; i++) {
        const bool padding = first > 0 && token[i] == config->pad;
        network->position[i] = padding ? (int32_t)config->pad : position++;
    }
}

// Of tokens in training: 15 % are asked for, and 80 % of these masked.
static const double masked_in_training = 0.15 * 0.8;

// Masked tokens of a sequence are as good as dropped, and the others made up to the share that was kept in training:
// 0 for those, (1 - masked_in_training) / (1 - share of those) for these, as transformers' ESM has it.
static void set_token_scales(gw_network *network, int64_t begin, int64_t end) {
    const int64_t mask = network->model->config.mask;
    const int32_t *token = network->batch.of[GW_ROWS_TOKENS].token;
    int64_t masked = 0;
    for (int64_t i = begin; i < end; i++) masked += token[i] == mask;
    const double kept = (double)(end - begin - masked) / (double)(end - begin);
    for (int64_t i = begin; i < end; i++)
        network->token_scale[i] = token[i] == mask ? 0 : (float)((1 - masked_in_training) / kept);
}

static void add_inputs(gw_network *network) {
    const gw_rows *tokens = &network->batch.of[GW_ROWS_TOKENS];
    for (int64_t s = 0; s < tokens->sequences; s++) {
        network->first_row[s] = (int32_t)tokens->start[s];
        set_offsets(network, tokens->start[s], tokens->start[s + 1]);
        if (network->token_scale) set_token_scales(network, tokens->start[s], tokens->start[s + 1]);
    }
    if (network->head->add_inputs) network->head->add_inputs(network);
}

// Positions of the rows that are picked from the tokens, where angles are read at them.
static void fill_positions(gw_network *network, int number) {
    gw_rows *rows = &network->batch.of[number];
    rows->position = network->picked_position[number];
    for (int64_t i = 0; rows->position && i < rows->count; i++) rows->position[i] = network->position[rows->row[i]];
}

static gw_status complete(gw_network *network) {
    gw_rows *of = network->batch.of, *tokens = &of[GW_ROWS_TOKENS];
    add_inputs(network);
    tokens->pad_to = padded_to(network, tokens);
    tokens->count = tokens->start[tokens->sequences];
    tokens->position = network->position;
    tokens->scale = network->token_scale;
    tokens->prefix = network->prefix;
    if (!tokens->segment) tokens->segment = network->segment;
    gw_network_fill_levels(network);
    GW_TRY(gw_network_fill_mixer(network));
    if (network->head->own == GW_OWN_STREAM) gw_network_fill_targets(network);
    of[GW_ROWS_FIRST].count = tokens->sequences;
    of[GW_ROWS_FIRST].row = network->first_row;
    fill_positions(network, GW_ROWS_FIRST);
    if (network->head->own == GW_OWN_ROWS) fill_positions(network, GW_ROWS_OWN);
    if (network->head->own == GW_OWN_SEQUENCES && of[GW_ROWS_OWN].count == 0)
        of[GW_ROWS_OWN].count = tokens->sequences / (network->head->apart ? 2 : 1);
    for (int i = 0; i < GW_BATCH_ROWS; i++) {
        const gw_plan_rows *declared = &network->plan.rows[i];
        if (declared->classes > 0 && !of[i].label) of[i].label = network->no_class;
        if (declared->numbers > 0 && !of[i].number) of[i].number = network->no_number;
    }
    return GW_OK;
}

gw_status gw_network_complete(gw_network *network, const gw_batch *batch) {
    GW_TRY(check_rows(network, batch));
    GW_TRY(check_indices(network, batch));
    network->batch = *batch;
    GW_TRY(complete(network));
    return network->head->check_labels ? network->head->check_labels(network) : GW_OK;
}
