// SPDX-License-Identifier: MIT
// A model's decoder: its graphs, and the batch's targets.
#include "base/memory.h"
#include "network/network_private.h"

#include <stdlib.h>

enum { BLOCK = 64 }; // of the graphs, which lists no key that is not there

gw_status gw_network_make_decoder(gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_pattern full = {.block = BLOCK, .full = true}, causal = {.block = BLOCK, .full = true, .causal = true};
    const int heads = (int)config->decoder_heads, layers = (int)config->decoder_layers;
    network->memory = gw_alloc(2 * layers, sizeof *network->memory);
    if (!network->memory) return GW_ERR_MEMORY;
    GW_TRY(gw_pattern_source_new(&causal, NULL, layers, heads, config->positions, &network->own_graphs));
    GW_TRY(gw_pattern_source_new(&full, NULL, layers, heads, config->positions, &network->cross_graphs));
    network->own_graphs->kernels = network->cross_graphs->kernels = network->model->parameters.mirror.kernels;
    return GW_OK;
}

void gw_network_free_decoder(gw_network *network) {
    gw_graph_source_free(network->own_graphs);
    gw_graph_source_free(network->cross_graphs);
    free(network->memory);
}

gw_status gw_network_check_targets(const gw_network *network, const gw_batch *batch) {
    const gw_config *config = &network->model->config;
    const gw_rows *target = &batch->of[GW_ROWS_TARGET];
    const int64_t sequences = batch->of[GW_ROWS_TOKENS].sequences;
    if (target->sequences != sequences)
        return gw_fail(GW_ERR_RANGE, "a batch has %lld targets for %lld texts", (long long)target->sequences,
                       (long long)sequences);
    if (target->start[sequences] > network->options.targets)
        return gw_fail(GW_ERR_RANGE, "a batch has %lld tokens of targets, the network was made for %lld",
                       (long long)target->start[sequences], (long long)network->options.targets);
    for (int64_t s = 0; s < sequences; s++) {
        const int64_t length = target->start[s + 1] - target->start[s];
        if (length < 1 || length > config->positions)
            return gw_fail(GW_ERR_RANGE, "a target of %lld tokens; the model has %lld positions", (long long)length,
                           (long long)config->positions);
    }
    for (int64_t i = 0; i < target->start[sequences]; i++)
        if (target->token[i] < 0 || target->token[i] >= config->vocabulary)
            return gw_fail(GW_ERR_RANGE, "token %d of a target is outside the model's vocabulary of %lld",
                           target->token[i], (long long)config->vocabulary);
    return GW_OK;
}

void gw_network_fill_targets(gw_network *network) {
    gw_rows *target = &network->batch.of[GW_ROWS_TARGET];
    target->count = target->start[target->sequences];
    target->position = network->target_position;
    target->segment = network->target_segment;
    for (int64_t s = 0; s < target->sequences; s++)
        for (int64_t i = target->start[s]; i < target->start[s + 1]; i++)
            target->position[i] = (int32_t)(i - target->start[s]);
}
