// SPDX-License-Identifier: MIT
// From a caller's batch to that of the plan: what does not fit is refused, what is absent is filled in.
#include "base/memory.h"
#include "model/family.h"
#include "model/mixer.h"
#include "network/network_private.h"

#include <math.h>
#include <stdlib.h>

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

// A model's convolutional stem: a stream for each resolution that its poolings make.

const gw_stem *gw_network_stem(const gw_network *network) {
    const gw_stem *stem = &network->model->config.stem;
    return stem->count > 0 ? stem : NULL;
}

// Each sequence can have a last row of fewer tokens.
int64_t gw_network_level_rows(const gw_network *network, int level) {
    return network->options.tokens / network->model->config.stem.factor[level] + network->options.sequences;
}

void gw_network_describe_levels(gw_network *network, gw_plan *plan) {
    const int64_t sequences = network->options.sequences;
    const int levels = network->model->config.stem.levels;
    for (int level = 1; level <= levels; level++) {
        const int64_t rows = gw_network_level_rows(network, level);
        gw_plan_stream(plan, network->builder.rows.level[level], rows, sequences);
        network->level[level] = (gw_rows){.start = gw_plan_alloc(plan, sequences + 1, sizeof(int64_t)),
                                          .position = gw_plan_alloc(plan, rows, sizeof(int32_t))};
    }
}

void gw_network_fill_levels(gw_network *network) {
    const gw_stem *stem = gw_network_stem(network);
    const gw_rows *tokens = &network->batch.of[GW_ROWS_TOKENS];
    for (int level = 1; stem && level <= stem->levels; level++) {
        gw_rows *rows = &network->level[level];
        gw_rows_coarsen(tokens, stem->factor[level], rows);
        rows->pad_to = gw_stem_rows(stem, level, tokens->pad_to);
        for (int64_t s = 0; s < rows->sequences; s++)
            for (int64_t i = rows->start[s]; i < rows->start[s + 1]; i++)
                rows->position[i] = (int32_t)(i - rows->start[s]);
        network->batch.of[network->builder.rows.level[level]] = *rows;
    }
}

// A model's decoder: its graphs, and the batch's targets.

enum { BLOCK = 64 }; // of the graphs, which lists no key that is not there

gw_status gw_network_make_decoder(gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_pattern full = {.block = BLOCK, .full = true}, causal = {.block = BLOCK, .full = true, .causal = true};
    const int heads = (int)config->decoder_heads, layers = (int)config->decoder_layers;
    network->memory = gw_alloc(2 * layers, sizeof *network->memory);
    if (!network->memory) return GW_ERR_MEMORY;
    GW_TRY(gw_pattern_source_new(&causal, NULL, layers, heads, config->positions, &network->own_graphs));
    GW_TRY(gw_pattern_source_new(&full, NULL, layers, heads, config->positions, &network->cross_graphs));
    network->own_graphs->kernels = network->cross_graphs->kernels = network->model->parameters.mirror.kernels;
    return GW_OK;
}

void gw_network_free_decoder(gw_network *network) {
    gw_graph_source_free(network->own_graphs);
    gw_graph_source_free(network->cross_graphs);
    free(network->memory);
}

gw_status gw_network_check_targets(const gw_network *network, const gw_batch *batch) {
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

void gw_network_fill_targets(gw_network *network) {
    gw_rows *target = &network->batch.of[GW_ROWS_TARGET];
    target->count = target->start[target->sequences];
    target->position = network->target_position;
    target->segment = network->target_segment;
    for (int64_t s = 0; s < target->sequences; s++)
        for (int64_t i = target->start[s]; i < target->start[s + 1]; i++)
            target->position[i] = (int32_t)(i - target->start[s]);
}

// What a network's mixer says of what it read, and the stream that it adds.

void gw_network_restart_metrics(gw_network *network) {
    if (network->mixer->restart) network->mixer->restart(network);
}

double *gw_network_metric_sums(gw_network *network, int64_t *count) {
    *count = 0;
    return network->mixer->sums ? network->mixer->sums(network, count) : NULL;
}

void gw_network_add_metrics(const gw_network *network, json_t *row) {
    if (network->mixer->add_metrics) network->mixer->add_metrics(network, row);
}

void gw_network_note_metrics(const gw_network *network) {
    if (network && network->mixer->note_metrics) network->mixer->note_metrics(network);
}

void gw_network_watch(gw_network *network, int layer, int head) {
    if (network->mixer->watch) network->mixer->watch(network, layer, head);
}

gw_drawn_graph gw_network_drawn(const gw_network *network, int layer, int head) {
    return network->mixer->drawn ? network->mixer->drawn(network, layer, head) : (gw_drawn_graph){.band = -1};
}

void gw_mixer_print_options(const gw_config *config, const gw_mixer_options *options, gw_string *out) {
    const gw_mixer_row *mixer = gw_mixer_of(config->mixer);
    if (mixer->print_options) mixer->print_options(options, out);
}

// The stream whose rows read each other: the tokens, or a stem's coarsest rows.
static int stream_of(const gw_network *network) {
    const gw_stem *stem = gw_network_stem(network);
    return stem && stem->levels > 0 ? network->builder.rows.level[stem->levels] : GW_ROWS_TOKENS;
}

// Rows of its own that stand beside the tokens: those that a batch gives, or those that the mixer makes of the tokens.
static int64_t most_with_tokens(const gw_network *network, int64_t rows) {
    const int64_t made = network->mixer->most_rows(&network->model->config, rows, network->options.sequences),
                  given = rows + network->options.globals;
    return made > given ? made : given;
}

static void describe_with_tokens(gw_network *network, gw_plan *plan, int64_t rows, int64_t most) {
    const bool apart = gw_config_own_layers(&network->model->config) !=
                       0; // all of them make a stream, whose rows are computed by themselves
    const int64_t sequences = network->options.sequences, globals = apart ? most - rows : network->options.globals;
    gw_rows *own = &network->own_rows;
    plan->rows[GW_ROWS_TOKENS].within = GW_ROWS_MIXER;
    own->token = gw_plan_alloc(plan, most, sizeof *own->token);
    own->segment = gw_plan_alloc(plan, most, sizeof *own->segment);
    own->position = gw_plan_alloc(plan, most, sizeof *own->position);
    network->token_row = gw_plan_alloc(plan, rows, sizeof *network->token_row);
    network->mixer->alloc(network, plan, most, sequences);
    if (globals == 0) return;
    gw_plan_stream(plan, GW_ROWS_GLOBALS, globals, sequences);
    plan->rows[GW_ROWS_GLOBALS].within = GW_ROWS_MIXER;
    network->global_row = gw_plan_alloc(plan, globals, sizeof *network->global_row);
    if (apart) network->global_start = gw_plan_alloc(plan, sequences + 1, sizeof *network->global_start);
}

void gw_network_describe_mixer(gw_network *network, gw_plan *plan) {
    const int64_t sequences = network->options.sequences, rows = plan->rows[stream_of(network)].most;
    const gw_mixer_row *mixer = network->mixer;
    gw_rows *own = &network->own_rows;
    if (!mixer->own_rows) return;
    const int64_t most = mixer->holds_tokens ? most_with_tokens(network, rows)
                                             : sequences * mixer->own_rows(&network->model->config, rows);
    gw_plan_stream(plan, GW_ROWS_MIXER, most, sequences);
    own->start = gw_plan_alloc(plan, sequences + 1, sizeof *own->start);
    if (mixer->holds_tokens) describe_with_tokens(network, plan, rows, most);
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

gw_status gw_network_check_globals(const gw_network *network, const gw_batch *batch) {
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

// Rows of the mixer's stream for sequence s.
static int64_t rows_of(const gw_network *network, const gw_rows *stream, int64_t s) {
    const gw_rows *globals = &network->batch.of[GW_ROWS_GLOBALS];
    const int64_t rows = stream->start[s + 1] - stream->start[s];
    if (network->mixer->holds_tokens && globals->start) return rows + globals->start[s + 1] - globals->start[s];
    return network->mixer->own_rows(&network->model->config, rows);
}

// Rows of its own that a batch does not give, as a stream.
static void list_globals(gw_network *network, const gw_rows *tokens, const gw_rows *own, gw_rows *globals) {
    globals->start = network->global_start;
    globals->sequences = own->sequences;
    globals->count = 0;
    for (int64_t s = 0; s < own->sequences; s++) {
        const int64_t rows = own->start[s + 1] - own->start[s] - (tokens->start[s + 1] - tokens->start[s]);
        for (int64_t g = 0; g < rows; g++) globals->row[globals->count++] = (int32_t)(own->start[s] + g);
        globals->start[s + 1] = globals->count;
    }
}

gw_status gw_network_fill_mixer(gw_network *network) {
    gw_rows *stream = &network->batch.of[stream_of(network)], *own = &network->own_rows,
            *globals = &network->batch.of[GW_ROWS_GLOBALS];
    if (!network->mixer->own_rows) return GW_OK;
    own->sequences = stream->sequences;
    for (int64_t s = 0; s < stream->sequences; s++) own->start[s + 1] = own->start[s] + rows_of(network, stream, s);
    own->count = own->start[own->sequences];
    if (network->mixer->holds_tokens) {
        own->first = 2 * stream->first; // a sequence has at most as many rows of its own as tokens
        stream->row = network->token_row;
        globals->row = network->global_row;
        GW_TRY(network->mixer->fill(network, stream, globals, own));
        if (gw_config_own_layers(&network->model->config) != 0 && !globals->start)
            list_globals(network, stream, own, globals);
    }
    network->batch.of[GW_ROWS_MIXER] = *own;
    return GW_OK;
}

// What heads ask of the labels of a batch.

gw_status gw_network_check_classes(const gw_network *network, int rows, const char *what, int64_t classes) {
    const gw_rows *labelled = &network->batch.of[rows];
    for (int64_t i = 0; labelled->label && i < labelled->count; i++)
        if (labelled->label[i] >= classes)
            return gw_fail(GW_ERR_RANGE, "%s %d of the batch is outside the %lld that there are", what,
                           labelled->label[i], (long long)classes);
    return GW_OK;
}
