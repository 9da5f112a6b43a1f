// SPDX-License-Identifier: MIT
// A model's convolutional stem: its tensors, and a stream for each resolution that its poolings make.
#include "network/network_private.h"

#include "base/memory.h"

static gw_stem_weights part_weights(const gw_weights_view *view, int part) {
    const gw_config *config = &view->model->config;
    if (config->stem.part[part].kind == GW_STEM_POSITIONS)
        return (gw_stem_weights){
            .place = gw_view_weight(view, GW_ROLE_STEM_PLACE, part, false),
            .positions = gw_stem_rows(&config->stem, config->stem.part[part].level, config->positions),
        };
    return (gw_stem_weights){
        .convolution = gw_view_weight(view, GW_ROLE_STEM_CONVOLUTION, part, false),
        .convolution_bias = gw_view_weight(view, GW_ROLE_STEM_CONVOLUTION, part, true),
        .norm = gw_view_layer_norm(view, GW_ROLE_STEM_NORM, part),
        .output_norm = gw_view_layer_norm(view, GW_ROLE_STEM_OUTPUT_NORM, part),
        .second = gw_view_weight(view, GW_ROLE_STEM_SECOND, part, false),
        .second_bias = gw_view_weight(view, GW_ROLE_STEM_SECOND, part, true),
        .mix = gw_view_layer_linear(view, GW_ROLE_STEM_MIX, part),
        .feed_forward = gw_view_layer_linear(view, GW_ROLE_STEM_FEED_FORWARD, part),
        .output = gw_view_layer_linear(view, GW_ROLE_STEM_OUTPUT, part),
    };
}

gw_status gw_network_make_stem(gw_network *network) {
    const gw_stem *stem = &network->model->config.stem;
    if (stem->count == 0) return GW_OK;
    network->stem_weights = gw_alloc(stem->count, sizeof *network->stem_weights);
    if (!network->stem_weights) return GW_ERR_MEMORY;
    for (int i = 0; i < stem->count; i++)
        if (stem->part[i].factor == 0) network->stem_weights[i] = part_weights(&network->weights, i);
    network->stem = (gw_stem_layers){.stem = stem,
                                     .weights = network->stem_weights,
                                     .activation = network->architecture.activation,
                                     .precision = network->architecture.precision,
                                     .epsilon = network->architecture.epsilon,
                                     .dropout = network->architecture.dropout,
                                     .stream = {GW_ROWS_TOKENS}};
    for (int level = 1; level <= stem->levels; level++) network->stem.stream[level] = GW_BATCH_ROWS - level;
    return GW_OK;
}

// Each sequence can have a last row of fewer tokens.
int64_t gw_network_level_rows(const gw_network *network, int level) {
    return network->options.tokens / network->stem.stem->factor[level] + network->options.sequences;
}

void gw_network_describe_levels(gw_network *network, gw_plan *plan) {
    const int64_t sequences = network->options.sequences;
    const int levels = network->stem.stem ? network->stem.stem->levels : 0;
    for (int level = 1; level <= levels; level++) {
        const int64_t rows = gw_network_level_rows(network, level);
        gw_plan_stream(plan, network->stem.stream[level], rows, sequences);
        network->level[level] = (gw_rows){.start = gw_plan_alloc(plan, sequences + 1, sizeof(int64_t)),
                                          .position = gw_plan_alloc(plan, rows, sizeof(int32_t))};
    }
}

void gw_network_fill_levels(gw_network *network) {
    const gw_stem *stem = network->stem.stem;
    const gw_rows *tokens = &network->batch.of[GW_ROWS_TOKENS];
    for (int level = 1; stem && level <= stem->levels; level++) {
        gw_rows *rows = &network->level[level];
        gw_rows_coarsen(tokens, stem->factor[level], rows);
        rows->pad_to = gw_stem_rows(stem, level, tokens->pad_to);
        for (int64_t s = 0; s < rows->sequences; s++)
            for (int64_t i = rows->start[s]; i < rows->start[s + 1]; i++)
                rows->position[i] = (int32_t)(i - rows->start[s]);
        network->batch.of[network->stem.stream[level]] = *rows;
    }
}
