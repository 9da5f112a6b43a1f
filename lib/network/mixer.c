// SPDX-License-Identifier: MIT
// What a network's mixer says of what it read, and the stream that it adds.
#include "model/mixer.h"

#include "network/network_private.h"

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
