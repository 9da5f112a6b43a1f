// SPDX-License-Identifier: MIT
// One source serves all layers: the pattern is the same everywhere.
#include "network/mixers/full_graphs.h"

enum { BLOCK = 64 };

gw_status gw_mixer_make_full_graphs(gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_pattern full = {.block = BLOCK, .full = true};
    gw_graph_source *graphs;
    GW_TRY(gw_pattern_source_new(&full, NULL, (int)config->layers, (int)config->heads, config->positions, &graphs));
    graphs->kernels = network->model->parameters.mirror.kernels;
    network->mixing = graphs;
    return GW_OK;
}

void gw_mixer_free_full_graphs(void *mixing) {
    gw_graph_source_free(mixing);
}
