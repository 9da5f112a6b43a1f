// SPDX-License-Identifier: MIT
// A model's convolutional stem: a stream for each resolution that its poolings make.
#include "network/network_private.h"

const gw_stem *gw_network_stem(const gw_network *network) {
    const gw_stem *stem = &network->model->config.stem;
    return stem->count > 0 ? stem : NULL;
}

// Each sequence can have a last row of fewer tokens.
int64_t gw_network_level_rows(const gw_network *network, int level) {
    return network->options.tokens / network->model->config.stem.factor[level] + network->options.sequences;
}

void gw_network_describe_levels(gw_network *network, gw_plan *plan) {
    const int64_t sequences = network->options.sequences;
    const int levels = network->model->config.stem.levels;
    for (int level = 1; level <= levels; level++) {
        const int64_t rows = gw_network_level_rows(network, level);
        gw_plan_stream(plan, network->builder.rows.level[level], rows, sequences);
        network->level[level] = (gw_rows){.start = gw_plan_alloc(plan, sequences + 1, sizeof(int64_t)),
                                          .position = gw_plan_alloc(plan, rows, sizeof(int32_t))};
    }
}

void gw_network_fill_levels(gw_network *network) {
    const gw_stem *stem = gw_network_stem(network);
    const gw_rows *tokens = &network->batch.of[GW_ROWS_TOKENS];
    for (int level = 1; stem && level <= stem->levels; level++) {
        gw_rows *rows = &network->level[level];
        gw_rows_coarsen(tokens, stem->factor[level], rows);
        rows->pad_to = gw_stem_rows(stem, level, tokens->pad_to);
        for (int64_t s = 0; s < rows->sequences; s++)
            for (int64_t i = rows->start[s]; i < rows->start[s + 1]; i++)
                rows->position[i] = (int32_t)(i - rows->start[s]);
        network->batch.of[network->builder.rows.level[level]] = *rows;
    }
}
