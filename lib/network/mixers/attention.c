// SPDX-License-Identifier: MIT
// Attention over block graphs: those of the config's pattern, or of a layout that the weights hold.
#include "model/mixer.h"
#include "network/network_private.h"

static gw_status make(gw_network *network) {
    const gw_config *config = &network->model->config;
    gw_graph_source *graphs;
    GW_TRY(gw_pattern_source_new(&config->pattern, network->model->layout, (int)config->layers, (int)config->heads,
                                 config->positions, &graphs));
    graphs->kernels = network->model->parameters.mirror.kernels;
    network->mixing = graphs;
    return GW_OK;
}

static void free_graphs(void *mixing) {
    gw_graph_source_free(mixing);
}

static gw_tensor describe(gw_plan *plan, const gw_network *network, int layer, gw_tensor query, gw_tensor key,
                          gw_tensor value) {
    const gw_architecture *a = &network->architecture;
    return gw_plan_attention(plan, query, key, value, a->heads, layer, a->precision, network->mixing);
}

const gw_mixer_row gw_mixer_attention = {.make = make, .free = free_graphs, .picks = true, .describe = describe};
