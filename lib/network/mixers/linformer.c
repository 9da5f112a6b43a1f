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

static void list(const gw_config *config, gw_tensor_list *out) {
    gw_list_weight(out, ROLE_KEYS, "attention.self.key_projection", config->mixer_number[SUMS], config->positions);
    gw_list_weight(out, ROLE_VALUES, "attention.self.value_projection", config->mixer_number[SUMS], config->positions);
}

// A sum over a sequence that fills all positions is as large as what it sums.
static double deviation(const gw_config *config, const gw_parameter *parameter) {
    (void)parameter;
    return 1 / sqrt((double)config->positions);
}

static int64_t own_rows(const gw_config *config, int64_t rows) {
    (void)rows;
    return config->mixer_number[SUMS];
}

static gw_tensor describe(gw_plan *plan, const gw_network *network, int layer, gw_tensor query, gw_tensor key,
                          gw_tensor value) {
    const gw_architecture *a = &network->architecture;
    const gw_weights_view *view = &network->weights;
    const int64_t places = network->model->config.positions;
    key = gw_plan_project_rows(plan, key, gw_view_weight(view, ROLE_KEYS, layer, false), places, GW_ROWS_MIXER);
    value = gw_plan_project_rows(plan, value, gw_view_weight(view, ROLE_VALUES, layer, false), places, GW_ROWS_MIXER);
    return gw_plan_attention(plan, query, key, value, a->heads, layer, a->precision, network->mixing);
}

const gw_mixer_row gw_mixer_linformer = {
    .words = words,
    .no_graph = "a Linformer has no graph of its tokens: every one reads sums of its sequence",
    .list = list,
    .deviation = deviation,
    .by_place = true,
    .own_rows = own_rows,
    .make = gw_mixer_make_full_graphs,
    .free = gw_mixer_free_full_graphs,
    .describe = describe,
};
