// SPDX-License-Identifier: MIT
// performer[:M]: softmax attention estimated by M positive orthogonal random features, in time of the tokens
// (Choromanski et al., Rethinking Attention with Performers, 2021). causal: of tokens up to the query's. Features are
// drawn by the seed; redraw:N: anew each N steps of training, and models that are only run read by the first ones.
// Its tensors are attention's.
#include "base/memory.h"
#include "model/mixer.h"
#include "network/network_private.h"
#include "nn/linear_attention.h"
#include "nn/random_features.h"

#include <stdlib.h>

enum { FEATURES, CAUSAL, REDRAW, SEED };
static const gw_mixer_word words[] = {
    [FEATURES] = {"performer", .usual = 256, .low = 1, .high = 1 << 16},
    [CAUSAL] = {"causal"},
    [REDRAW] = {"redraw", .usual = 1000, .low = 1, .high = INT32_MAX},
    [SEED] = {"seed", .usual = -1, .high = INT64_MAX, .drawn = true},
    {0},
};

static void free_features(void *mixing) {
    gw_random_features_free(mixing);
    free(mixing);
}

static gw_status make(gw_network *network) {
    const gw_config *config = &network->model->config;
    gw_random_features *features = gw_alloc(1, sizeof *features);
    if (!features) return GW_ERR_MEMORY;
    *features = (gw_random_features){.layers = (int)config->layers,
                                     .features = config->mixer_number[FEATURES],
                                     .size = config->width / config->heads,
                                     .seed = (uint64_t)config->mixer_number[SEED],
                                     .redraw = config->mixer_number[REDRAW]};
    network->mixing = features;
    return gw_random_features_make(features, network->model->parameters.mirror.kernels);
}

static gw_tensor describe(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value) {
    const gw_config *config = b->config;
    if (b->lists) return value;
    gw_plan_random_features(b->plan, b->network->mixing, layer, &query, &key);
    return gw_plan_linear_attention(b->plan, query, key, value, (int)config->heads, config->mixer_number[CAUSAL] > 0);
}

const gw_mixer_row gw_mixer_performer = {
    .words = words,
    .no_graph = "a Performer has no graph: every token reads sums over all of its sequence",
    .make = make,
    .free = free_features,
    .describe = describe,
};
