// SPDX-License-Identifier: MIT
// linformer[:K]: softmax attention to K sums of a sequence's keys and values, each by the places of its tokens (Wang et
// al., Linformer, 2020): softmax(q (E k)^T / sqrt(D)) F v, E and F [K][positions] of a layer, shared by its heads.
#include "model/mixer.h"
#include "network/mixers/full_graphs.h"
#include "nn/project_rows.h"

#include <math.h>

enum { SUMS };
static const gw_mixer_word words[] = {[SUMS] = {"linformer", .usual = 256, .low = 1, .high = 1 << 16}, {0}};

enum { ROLE_KEYS = GW_ROLE_MIXER, ROLE_VALUES };

static int64_t own_rows(const gw_config *config, int64_t rows) {
    (void)rows;
    return config->mixer_number[SUMS];
}

static gw_tensor describe(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value) {
    const gw_config *config = b->config;
    const int64_t sums = config->mixer_number[SUMS], places = config->positions;
    b->deviation = 1 / sqrt((double)places); // a sum over all positions is as large as what it sums
    const gw_weight keys = gw_declare_weight(b, ROLE_KEYS, "attention.self.key_projection", sums, places);
    const gw_weight values = gw_declare_weight(b, ROLE_VALUES, "attention.self.value_projection", sums, places);
    b->deviation = -1;
    if (b->lists) return value;
    key = gw_plan_project_rows(b->plan, key, keys, places, GW_ROWS_MIXER);
    value = gw_plan_project_rows(b->plan, value, values, places, GW_ROWS_MIXER);
    return gw_plan_attention(b->plan, query, key, value, (int)config->heads, layer, b->precision, b->network->mixing);
}

const gw_mixer_row gw_mixer_linformer = {
    .words = words,
    .no_graph = "a Linformer has no graph of its tokens: every one reads sums of its sequence",
    .by_place = true,
    .own_rows = own_rows,
    .make = gw_mixer_make_full_graphs,
    .free = gw_mixer_free_full_graphs,
    .describe = describe,
};
