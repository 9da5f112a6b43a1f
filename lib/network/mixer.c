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
    const gw_stem *stem = network->stem.stem;
    return stem && stem->levels > 0 ? network->stem.stream[stem->levels] : GW_ROWS_TOKENS;
}

void gw_network_describe_mixer(gw_network *network, gw_plan *plan) {
    const int64_t sequences = network->options.sequences, rows = plan->rows[stream_of(network)].most;
    const gw_config *config = &network->model->config;
    const gw_mixer_row *mixer = network->mixer;
    gw_rows *own = &network->own_rows;
    if (!mixer->own_rows) return;
    const int64_t most =
        mixer->holds_tokens ? mixer->most_rows(config, rows, sequences) : sequences * mixer->own_rows(config, rows);
    gw_plan_stream(plan, GW_ROWS_MIXER, most, sequences);
    own->start = gw_plan_alloc(plan, sequences + 1, sizeof *own->start);
    if (!mixer->holds_tokens) return;
    plan->rows[GW_ROWS_TOKENS].within = GW_ROWS_MIXER;
    own->token = gw_plan_alloc(plan, most, sizeof *own->token);
    own->segment = gw_plan_alloc(plan, most, sizeof *own->segment);
    own->position = gw_plan_alloc(plan, most, sizeof *own->position);
    network->token_row = gw_plan_alloc(plan, rows, sizeof *network->token_row);
    mixer->alloc(network, plan, most, sequences);
}

gw_status gw_network_fill_mixer(gw_network *network) {
    gw_rows *stream = &network->batch.of[stream_of(network)], *own = &network->own_rows;
    if (!network->mixer->own_rows) return GW_OK;
    own->sequences = stream->sequences;
    for (int64_t s = 0; s < stream->sequences; s++)
        own->start[s + 1] =
            own->start[s] + network->mixer->own_rows(&network->model->config, stream->start[s + 1] - stream->start[s]);
    own->count = own->start[own->sequences];
    if (network->mixer->holds_tokens) {
        own->first = 2 * stream->first; // a sequence has at most as many rows of its own as tokens
        stream->row = network->token_row;
        GW_TRY(network->mixer->fill(network, stream, own));
    }
    network->batch.of[GW_ROWS_MIXER] = *own;
    return GW_OK;
}
