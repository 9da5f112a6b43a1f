// SPDX-License-Identifier: MIT
// reformer[:CHUNK[xROUNDS]]: attention of tokens to those that hashing puts beside them (Kitaev et al., Reformer, 2020;
// nn/hashed_attention.h). Queries and keys are one vector, which the key's layer makes: there is no query's. causal: of
// tokens up to the query's. The seed is that of a model that is only run; training draws anew each step.
#include "model/mixer.h"
#include "network/network_private.h"
#include "nn/hashed_attention.h"

enum { CHUNK, ROUNDS, CAUSAL, SEED };
static const gw_mixer_word words[] = {
    [CHUNK] = {"reformer", .usual = 64, .low = 1, .high = 1 << 16},
    [ROUNDS] = {"rounds", .mark = 'x', .usual = 2, .low = 1, .high = 64},
    [CAUSAL] = {"causal"},
    [SEED] = {"seed", .usual = -1, .high = INT64_MAX, .drawn = true},
    {0},
};

static gw_status make(gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_hashed_options options = {.layers = (int)config->layers,
                                       .heads = (int)config->heads,
                                       .size = config->width / config->heads,
                                       .chunk = config->mixer_number[CHUNK],
                                       .rounds = config->mixer_number[ROUNDS],
                                       .causal = config->mixer_number[CAUSAL] > 0,
                                       .seed = (uint64_t)config->mixer_number[SEED]};
    gw_hashed_graphs *graphs;
    GW_TRY(gw_hashed_graphs_new(&options, network->model->parameters.mirror.kernels, &graphs));
    network->mixing = graphs;
    return GW_OK;
}

static void free_graphs(void *mixing) {
    gw_hashed_graphs_free(mixing);
}

static gw_tensor describe(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value) {
    (void)query;
    return b->lists ? value : gw_plan_hashed_attention(b->plan, key, value, layer, b->network->mixing);
}

static gw_drawn_graph drawn(const gw_network *network, int layer, int head) {
    return (gw_drawn_graph){.graph = gw_hashed_graphs_graph(network->mixing, layer, head), .band = -1};
}

const gw_mixer_row gw_mixer_reformer = {
    .words = words,
    .no_graph = "reformer has no graph before a model hashes its data",
    .shares_query = true,
    .make = make,
    .free = free_graphs,
    .describe = describe,
    .drawn = drawn,
};
