// SPDX-License-Identifier: MIT
// What a network's mixer says of what it read.
#include "model/mixer.h"

#include "network/network_private.h"

void gw_network_restart_figures(gw_network *network) {
    if (network->mixer->restart) network->mixer->restart(network);
}

void gw_network_add_figures(const gw_network *network, json_t *row) {
    if (network->mixer->add_figures) network->mixer->add_figures(network, row);
}

void gw_network_note_figures(const gw_network *network) {
    if (network && network->mixer->note_figures) network->mixer->note_figures(network);
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
