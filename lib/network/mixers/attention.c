// SPDX-License-Identifier: MIT
// Attention over block graphs: those of the config's pattern, or of a layout in the weights; and full graphs, to or
// from rows that other mixers add (GW_ROWS_MIXER).
#include "model/mixer.h"
#include "network/network_private.h"

enum { BLOCK = 64 };

static gw_status make_graphs(gw_network *network, const gw_pattern *pattern, const gw_layout *layout) {
    const gw_config *config = &network->model->config;
    gw_graph_source *graphs;
    GW_TRY(gw_pattern_source_new(pattern, layout, (int)config->layers, (int)config->heads, config->positions, &graphs));
    graphs->kernels = network->model->parameters.mirror.kernels;
    network->mixing = graphs;
    return GW_OK;
}

static gw_status make(gw_network *network) {
    return make_graphs(network, &network->model->config.pattern, network->model->layout);
}

// One source serves all layers: the pattern is the same everywhere.
gw_status gw_mixer_make_full_graphs(gw_network *network) {
    return make_graphs(network, &(gw_pattern){.block = BLOCK, .full = true}, NULL);
}

void gw_mixer_free_graphs(void *mixing) {
    gw_graph_source_free(mixing);
}

static gw_tensor describe(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value) {
    if (b->lists) return value;
    return gw_plan_attention(b->plan, query, key, value, (int)b->config->heads, layer, b->precision,
                             b->network->mixing);
}

const gw_mixer_row gw_mixer_attention = {
    .make = make, .free = gw_mixer_free_graphs, .picks = true, .describe = describe};
