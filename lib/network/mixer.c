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
    if (!network->mixer->own_rows) return;
    const int64_t each = network->mixer->own_rows(&network->model->config, rows);
    gw_plan_stream(plan, GW_ROWS_MIXER, sequences * each, sequences);
    network->own_rows.start = gw_plan_alloc(plan, sequences + 1, sizeof(int64_t));
}

void gw_network_fill_mixer(gw_network *network) {
    const gw_rows *stream = &network->batch.of[stream_of(network)];
    gw_rows *own = &network->own_rows;
    if (!network->mixer->own_rows) return;
    own->sequences = stream->sequences;
    for (int64_t s = 0; s < stream->sequences; s++)
        own->start[s + 1] =
            own->start[s] + network->mixer->own_rows(&network->model->config, stream->start[s + 1] - stream->start[s]);
    own->count = own->start[own->sequences];
    network->batch.of[GW_ROWS_MIXER] = *own;
}
