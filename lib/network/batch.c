// SPDX-License-Identifier: MIT
// Completes a caller's batch for the plan: checks it, and fills in missing arrays.
#include "base/number.h"
#include "model/family.h"
#include "model/mixer.h"
#include "network/network_private.h"

#include <math.h>

static gw_status out_of_capacity(const char *what, int64_t found, int64_t most) {
    return gw_fail(GW_ERR_RANGE, "a batch has %lld %s, the network was made for %lld", (long long)found, what,
                   (long long)most);
}

static int64_t padded_to(const gw_network *network, const gw_rows *tokens) {
    return tokens->pad_to != 0 ? tokens->pad_to : network->model->pad_to;
}

static gw_status check_targets(const gw_network *network, const gw_batch *batch) {
    const gw_config *config = &network->model->config;
    const gw_rows *target = &batch->of[GW_ROWS_TARGET];
    const int64_t sequences = batch->of[GW_ROWS_TOKENS].sequences;
    if (target->sequences != sequences)
        return gw_fail(GW_ERR_RANGE, "a batch has %lld targets for %lld texts", (long long)target->sequences,
                       (long long)sequences);
    if (target->start[sequences] > network->options.targets)
        return gw_fail(GW_ERR_RANGE, "a batch has %lld tokens of targets, the network was made for %lld",
                       (long long)target->start[sequences], (long long)network->options.targets);
    for (int64_t s = 0; s < sequences; s++) {
        const int64_t length = target->start[s + 1] - target->start[s];
        if (length < 1 || length > config->positions)
            return gw_fail(GW_ERR_RANGE, "a target of %lld tokens; the model has %lld positions", (long long)length,
                           (long long)config->positions);
    }
    for (int64_t i = 0; i < target->start[sequences]; i++)
        if (target->token[i] < 0 || target->token[i] >= config->vocabulary)
            return gw_fail(GW_ERR_RANGE, "token %d of a target is outside the model's vocabulary of %lld",
                           target->token[i], (long long)config->vocabulary);
    return GW_OK;
}

static gw_status check_own(const gw_network *network, const gw_batch *batch) {
    const gw_head_own kind = network->head->own;
    const gw_rows *own = &batch->of[GW_ROWS_OWN];
    const int64_t sequences = batch->of[GW_ROWS_TOKENS].sequences, tokens = batch->of[GW_ROWS_TOKENS].start[sequences],
                  most = network->plan.rows[GW_ROWS_OWN].most;
    if (kind == GW_OWN_STREAM) return check_targets(network, batch);
    if (own->count > most || (kind == GW_OWN_CHOICES && own->sequences > most))
        return out_of_capacity(kind == GW_OWN_SEQUENCES ? "questions"
                               : kind == GW_OWN_CHOICES ? "entries of choices"
                                                        : "masked tokens",
                               own->count, most);
    if (kind == GW_OWN_SEQUENCES && own->count > 0 && sequences % own->count != 0)
        return gw_fail(GW_ERR_RANGE, "the %lld sequences of a batch are not a multiple of its %lld questions",
                       (long long)sequences, (long long)own->count);
    if (network->head->apart && sequences % 2 != 0)
        return gw_fail(GW_ERR_RANGE, "the %lld sequences of a batch are not pairs", (long long)sequences);
    for (int64_t i = 0; kind == GW_OWN_ROWS && i < own->count; i++)
        if (own->row[i] < 0 || own->row[i] >= tokens)
            return gw_fail(GW_ERR_RANGE, "masked row %d of the batch is outside its %lld tokens", own->row[i],
                           (long long)tokens);
    return GW_OK;
}

// The global tokens of sequence s.
static gw_status check_sequence(const gw_network *network, const gw_rows *globals, const gw_rows *tokens, int64_t s) {
    const int64_t longs = tokens->start[s + 1] - tokens->start[s], vocabulary = network->model->config.vocabulary;
    if (globals->start[s + 1] - globals->start[s] > longs)
        return gw_fail(GW_ERR_RANGE, "%lld global tokens of a sequence of %lld tokens",
                       (long long)(globals->start[s + 1] - globals->start[s]), (long long)longs);
    for (int64_t g = globals->start[s]; g < globals->start[s + 1]; g++) {
        if (globals->token && globals->token[g] >= vocabulary)
            return gw_fail(GW_ERR_RANGE, "global token %d of the batch is outside the model's vocabulary of %lld",
                           globals->token[g], (long long)vocabulary);
        if (globals->begin[g] >= 0 && (globals->begin[g] >= globals->end[g] || globals->end[g] > longs))
            return gw_fail(GW_ERR_RANGE, "a global token stands for tokens %d to %d of a sequence of %lld",
                           globals->begin[g], globals->end[g], (long long)longs);
    }
    for (int64_t i = tokens->start[s]; tokens->link && i < tokens->start[s + 1]; i++)
        if (tokens->link[i] < -1 || tokens->link[i] >= globals->start[s + 1] - globals->start[s])
            return gw_fail(GW_ERR_RANGE, "a token is linked with global token %d of a sequence that has %lld",
                           tokens->link[i], (long long)(globals->start[s + 1] - globals->start[s]));
    return GW_OK;
}

static gw_status check_globals(const gw_network *network, const gw_batch *batch) {
    const gw_rows *globals = &batch->of[GW_ROWS_GLOBALS], *tokens = &batch->of[GW_ROWS_TOKENS];
    if (!network->mixer->holds_tokens || !globals->start) return GW_OK;
    if (globals->sequences != tokens->sequences)
        return gw_fail(GW_ERR_RANGE, "a batch has global tokens of %lld sequences, and %lld sequences",
                       (long long)globals->sequences, (long long)tokens->sequences);
    if (globals->count > network->options.globals)
        return gw_fail(GW_ERR_RANGE, "a batch has %lld global tokens, the network was made for %lld",
                       (long long)globals->count, (long long)network->options.globals);
    for (int64_t s = 0; s < globals->sequences; s++) GW_TRY(check_sequence(network, globals, tokens, s));
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
    const gw_config *config = &network->model->config;
    const int64_t positions = gw_config_longest(config), pad_to = padded_to(network, tokens);
    for (int64_t s = 0; s < sequences; s++) {
        const int64_t length = tokens->start[s + 1] - tokens->start[s];
        if (length < 1 || length > positions)
            return gw_fail(GW_ERR_RANGE, "a sequence of %lld tokens; the model has %lld positions", (long long)length,
                           (long long)positions);
        if (pad_to != 0 && (length > pad_to || pad_to > positions))
            return gw_fail(GW_ERR_RANGE,
                           "a sequence of %lld tokens cannot be padded to %lld; the model has %lld positions",
                           (long long)length, (long long)pad_to, (long long)positions);
    }
    GW_TRY(check_globals(network, batch));
    GW_TRY(check_own(network, batch));
    for (int64_t i = 0; i < tokens->start[sequences]; i++) {
        if (tokens->token[i] < 0 || tokens->token[i] >= config->vocabulary)
            return gw_fail(GW_ERR_RANGE, "token %d of the batch is outside the model's vocabulary of %lld",
                           tokens->token[i], (long long)config->vocabulary);
        if (tokens->segment && (tokens->segment[i] < 0 || tokens->segment[i] >= config->segments))
            return gw_fail(GW_ERR_RANGE, "segment %d of the batch is outside the model's %lld", tokens->segment[i],
                           (long long)config->segments);
    }
    return GW_OK;
}

// Of tokens in training: 15 % are asked for, and 80 % of these masked.
static const double masked_in_training = 0.15 * 0.8;

// Positions and scales of tokens. Tokens count from the first position; where that is pad + 1, padding in their midst
// stays at pad. Masked tokens of a sequence are as good as dropped, and the others made up to the share that was kept
// in training: 0 for those, (1 - masked_in_training) / (1 - share of those) for these, as transformers' ESM has it.
static void add_inputs(gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_rows *tokens = &network->batch.of[GW_ROWS_TOKENS];
    const int64_t first = gw_config_first_position(config);
    for (int64_t s = 0; s < tokens->sequences; s++) {
        const int64_t begin = tokens->start[s], end = tokens->start[s + 1];
        int32_t position = (int32_t)first;
        int64_t masked = 0;
        network->first_row[s] = (int32_t)begin;
        for (int64_t i = begin; i < end; i++) {
            const bool padding = first > 0 && tokens->token[i] == config->pad;
            network->position[i] = padding ? (int32_t)config->pad : position++;
            masked += tokens->token[i] == config->mask;
        }
        const double kept = (double)(end - begin - masked) / (double)(end - begin);
        for (int64_t i = begin; network->token_scale && i < end; i++)
            network->token_scale[i] = tokens->token[i] == config->mask ? 0 : (float)((1 - masked_in_training) / kept);
    }
    if (network->head->add_inputs) network->head->add_inputs(network);
}

// Positions of the rows that are picked from the tokens, where angles are read at them.
static void fill_positions(gw_network *network, int number) {
    gw_rows *rows = &network->batch.of[number];
    rows->position = network->picked_position[number];
    for (int64_t i = 0; rows->position && i < rows->count; i++) rows->position[i] = network->position[rows->row[i]];
}

// The number of masked tokens differs from batch to batch. A device that repeats launches needs launches of one size:
// copies of the first rows, without their labels, make the number up to a multiple of an eighth of the most.
static void round_masked(gw_network *network) {
    enum { PARTS = 8 };
    gw_rows *rows = &network->batch.of[GW_ROWS_MASKED];
    const int64_t most = network->plan.rows[GW_ROWS_MASKED].most, part = (most + PARTS - 1) / PARTS,
                  given = rows->count;
    if (!network->masked_row || !rows->label || given == 0) return;
    rows->count = gw_min((given + part - 1) / part * part, most);
    for (int64_t i = 0; i < rows->count; i++) {
        network->masked_row[i] = rows->row[i % given];
        network->masked_label[i] = i < given ? rows->label[i] : -1;
    }
    rows->row = network->masked_row;
    rows->label = network->masked_label;
}

// The rows of coarser resolutions.
static void fill_levels(gw_network *network) {
    const gw_rows *tokens = &network->batch.of[GW_ROWS_TOKENS];
    for (int level = 1; level <= network->levels; level++) {
        gw_rows *rows = &network->level[level];
        const int factor = network->factor[level];
        gw_rows_coarsen(tokens, factor, rows);
        rows->pad_to = (tokens->pad_to + factor - 1) / factor;
        for (int64_t s = 0; s < rows->sequences; s++)
            for (int64_t i = rows->start[s]; i < rows->start[s + 1]; i++)
                rows->position[i] = (int32_t)(i - rows->start[s]);
        network->batch.of[network->builder.rows.level[level]] = *rows;
    }
}

static void fill_targets(gw_network *network) {
    gw_rows *target = &network->batch.of[GW_ROWS_TARGET];
    target->count = target->start[target->sequences];
    target->position = network->target_position;
    target->segment = network->target_segment;
    for (int64_t s = 0; s < target->sequences; s++)
        for (int64_t i = target->start[s]; i < target->start[s + 1]; i++)
            target->position[i] = (int32_t)(i - target->start[s]);
}

// The rows of the mixer's stream, of a batch that has its tokens and levels.
static gw_status fill_mixer(gw_network *network) {
    gw_rows *stream = &network->batch.of[gw_network_mixed_stream(network)], *own = &network->own_rows,
            *globals = &network->batch.of[GW_ROWS_GLOBALS];
    if (!network->mixer->own_rows) return GW_OK;
    const bool given = network->mixer->holds_tokens && globals->start;
    own->sequences = stream->sequences;
    for (int64_t s = 0; s < stream->sequences; s++) {
        const int64_t rows = stream->start[s + 1] - stream->start[s];
        own->start[s + 1] = own->start[s] + (given ? rows + globals->start[s + 1] - globals->start[s]
                                                   : network->mixer->own_rows(&network->model->config, rows));
    }
    own->count = own->start[own->sequences];
    if (network->mixer->holds_tokens) {
        own->first = 2 * stream->first; // a sequence has at most as many rows of its own as tokens
        stream->row = network->token_row;
        globals->row = network->global_row;
        GW_TRY(network->mixer->fill(network, stream, globals, own));
        if (gw_config_own_layers(&network->model->config) != 0 && !globals->start) {
            // Rows of its own that the batch does not give, as a stream.
            globals->start = network->global_start;
            globals->sequences = own->sequences;
            globals->count = 0;
            for (int64_t s = 0; s < own->sequences; s++) {
                const int64_t count = own->start[s + 1] - own->start[s] - (stream->start[s + 1] - stream->start[s]);
                for (int64_t g = 0; g < count; g++) globals->row[globals->count++] = (int32_t)(own->start[s] + g);
                globals->start[s + 1] = globals->count;
            }
        }
    }
    network->batch.of[GW_ROWS_MIXER] = *own;
    return GW_OK;
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
    fill_levels(network);
    GW_TRY(fill_mixer(network));
    if (network->head->own == GW_OWN_STREAM) fill_targets(network);
    of[GW_ROWS_FIRST].count = tokens->sequences;
    of[GW_ROWS_FIRST].row = network->first_row;
    fill_positions(network, GW_ROWS_FIRST);
    if (network->head->own == GW_OWN_ROWS) {
        round_masked(network);
        fill_positions(network, GW_ROWS_OWN);
    }
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
    network->batch = *batch;
    GW_TRY(complete(network));
    return network->head->check_labels ? network->head->check_labels(network) : GW_OK;
}

gw_status gw_network_check_classes(const gw_network *network, int rows, const char *what, int64_t classes) {
    const gw_rows *labelled = &network->batch.of[rows];
    for (int64_t i = 0; labelled->label && i < labelled->count; i++)
        if (labelled->label[i] >= classes)
            return gw_fail(GW_ERR_RANGE, "%s %d of the batch is outside the %lld that there are", what,
                           labelled->label[i], (long long)classes);
    return GW_OK;
}
