// SPDX-License-Identifier: MIT
// A model's decoder: its tensors and graphs, and the batch's targets.
#include "base/memory.h"
#include "model/family.h"
#include "network/network_private.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK = 64 }; // of the graphs, which lists no key that is not there

static gw_attention_weights attention_weights(const gw_weights_view *view, gw_role query, int layer) {
    return (gw_attention_weights){
        .query = gw_view_layer_linear(view, query, layer),
        .key = gw_view_layer_linear(view, query + 1, layer),
        .value = gw_view_layer_linear(view, query + 2, layer),
        .output = gw_view_layer_linear(view, query + 3, layer),
        .norm = gw_view_layer_norm(view, query + 4, layer),
    };
}

static gw_decoder_block_weights block_weights(const gw_weights_view *view, int layer) {
    return (gw_decoder_block_weights){
        .own = attention_weights(view, GW_ROLE_OWN_QUERY, layer),
        .cross = attention_weights(view, GW_ROLE_CROSS_QUERY, layer),
        .feed_forward = gw_view_layer_linear(view, GW_ROLE_DECODER_FEED_FORWARD, layer),
        .output = gw_view_layer_linear(view, GW_ROLE_DECODER_OUTPUT, layer),
        .output_norm = gw_view_layer_norm(view, GW_ROLE_DECODER_OUTPUT_NORM, layer),
    };
}

// The encoder's tensors, and attention to the source.
static gw_decoder_block_weights shared_weights(const gw_weights_view *view, int layer) {
    const gw_block_weights w = gw_view_block(view, layer);
    return (gw_decoder_block_weights){
        .own = {w.query, w.key, w.value, w.attention_output, w.attention_norm},
        .cross = attention_weights(view, GW_ROLE_CROSS_QUERY, layer),
        .feed_forward = w.feed_forward,
        .output = w.output,
        .output_norm = w.output_norm,
    };
}

static bool shares(const gw_network *network) {
    return gw_family_of(network->model->config.family)->twin != NULL;
}

gw_status gw_network_make_decoder(gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_pattern full = {.block = BLOCK, .full = true}, causal = {.block = BLOCK, .full = true, .causal = true};
    const int heads = (int)config->decoder_heads, layers = (int)config->decoder_layers;
    network->decoder_blocks = gw_alloc(layers, sizeof *network->decoder_blocks);
    network->memory = gw_alloc(2 * layers, sizeof *network->memory);
    if (!network->decoder_blocks || !network->memory) return GW_ERR_MEMORY;
    for (int layer = 0; layer < layers; layer++)
        network->decoder_blocks[layer] =
            shares(network) ? shared_weights(&network->weights, layer) : block_weights(&network->weights, layer);
    GW_TRY(gw_pattern_source_new(&causal, NULL, layers, heads, config->positions, &network->own_graphs));
    GW_TRY(gw_pattern_source_new(&full, NULL, layers, heads, config->positions, &network->cross_graphs));
    network->own_graphs->kernels = network->cross_graphs->kernels = network->model->parameters.mirror.kernels;
    return GW_OK;
}

void gw_network_free_decoder(gw_network *network) {
    gw_graph_source_free(network->own_graphs);
    gw_graph_source_free(network->cross_graphs);
    free(network->decoder_blocks);
    free(network->memory);
}

static gw_architecture decoder_architecture(const gw_network *network, int stream) {
    const gw_config *config = &network->model->config;
    gw_architecture a = network->architecture;
    a.feed_forward = config->decoder_feed_forward;
    a.layers = (int)config->decoder_layers;
    a.heads = (int)config->decoder_heads;
    a.first_layer = (int)config->layers;
    a.stream = a.rows = stream;
    a.last_norm = config->last_norm;
    return a;
}

// logits = x W^T + b, W the token embeddings: behind the transformation of the masked head where tensors are shared.
static gw_tensor describe_logits(gw_plan *plan, const gw_network *network, gw_tensor x) {
    const gw_config *config = &network->model->config;
    gw_linear logits = gw_view_linear(&network->weights, GW_ROLE_TOKEN_EMBEDDING);
    if (shares(network)) return gw_network_describe_mask_logits(plan, network, x);
    logits.bias = (gw_weight){gw_view_bias(&network->weights, GW_ROLE_TARGET_LOGITS).value, NULL};
    return gw_plan_linear(plan, x, logits, config->vocabulary);
}

gw_tensor gw_network_describe_decoder(gw_plan *plan, const gw_network *network, int stream, gw_key_cache *cache) {
    const gw_config *config = &network->model->config;
    const gw_architecture architecture = decoder_architecture(network, stream);
    const gw_role position = shares(network) ? GW_ROLE_POSITION : GW_ROLE_DECODER_POSITION;
    const gw_decoder_weights weights = {
        .embedding = {.token = gw_view_weight(&network->weights, GW_ROLE_TOKEN_EMBEDDING, 0, false),
                      .position = gw_view_weight(&network->weights, position, 0, false),
                      .segment = gw_view_weight(&network->weights, GW_ROLE_SEGMENT, 0, false),
                      .token_scale = config->rescale ? sqrt((double)config->width) : 1,
                      .vocabulary = config->vocabulary,
                      .positions = config->positions,
                      .segments = config->segments},
        .embedding_norm = gw_view_norm(&network->weights, GW_ROLE_EMBEDDING_NORM),
        .last_norm = gw_view_norm(&network->weights, GW_ROLE_DECODER_LAST_NORM),
        .blocks = network->decoder_blocks,
    };
    const gw_decoder_reads reads = {network->hidden, network->own_graphs, network->cross_graphs, cache};
    return describe_logits(plan, network, gw_plan_decoder(plan, &architecture, &weights, &reads));
}

void gw_network_describe_memory(gw_plan *plan, gw_network *network) {
    const gw_config *config = &network->model->config;
    for (int layer = 0; layer < config->decoder_layers; layer++) {
        const gw_attention_weights *cross = &network->decoder_blocks[layer].cross;
        gw_tensor *memory = network->memory + 2 * layer;
        memory[0] = gw_plan_linear(plan, network->hidden, cross->key, config->width);
        memory[1] = gw_plan_linear(plan, network->hidden, cross->value, config->width);
        gw_plan_output(plan, memory[0]);
        gw_plan_output(plan, memory[1]);
    }
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
