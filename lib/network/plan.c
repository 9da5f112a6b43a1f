// SPDX-License-Identifier: MIT
// From a model's config and parameters to the plan of its ops.
#include "model/family.h"
#include "network/network_private.h"
#include "nn/contrast.h"

#include <math.h>

gw_architecture gw_network_architecture(const gw_config *config, int layers) {
    return (gw_architecture){
        .norm = config->pre_norm ? GW_NORM_BEFORE : GW_NORM_AFTER,
        .order = gw_family_of(config->family)->order,
        .last_norm = config->last_norm && layers == config->layers,
        .activation = config->activation,
        .stream = gw_mixer_of(config->mixer)->holds_tokens ? GW_ROWS_MIXER : GW_ROWS_TOKENS,
        .tokens = GW_ROWS_TOKENS,
        .others = gw_config_own_layers(config) != 0 ? GW_ROWS_GLOBALS : 0,
        .width = config->width,
        .feed_forward = config->feed_forward,
        .layers = layers,
        .heads = (int)config->heads,
        .rotary = config->rotary,
        .rotary_base = config->rotary_base,
        .every = config->pattern.every,
        .local_rotary_base = config->local_rotary_base,
        .epsilon = config->epsilon,
        .dropout = config->dropout,
    };
}

static gw_encoder_weights encoder_weights(const gw_network *network) {
    const gw_config *config = &network->model->config;
    return (gw_encoder_weights){
        .embedding = {.token = gw_view_weight(&network->weights, GW_ROLE_TOKEN_EMBEDDING, 0, false),
                      .position = gw_view_weight(&network->weights, GW_ROLE_POSITION, 0, false),
                      .segment = gw_view_weight(&network->weights, GW_ROLE_SEGMENT, 0, false),
                      .token_scale = config->rescale ? sqrt((double)config->width) : 1,
                      .vocabulary = config->vocabulary,
                      .positions = config->positions,
                      .segments = config->segments},
        .embedding_norm = gw_view_layer_norm(&network->weights, GW_ROLE_EMBEDDING_NORM, 0),
        .embedding_norm_beside = gw_view_layer_norm(&network->weights, GW_ROLE_BESIDE_EMBEDDING_NORM, 0),
        .frequencies = gw_view_weight(&network->weights, GW_ROLE_FREQUENCIES, 0, false),
        .last_norm = gw_view_layer_norm(&network->weights, GW_ROLE_LAST_NORM, 0),
        .stem = network->stem.stem ? &network->stem : NULL,
        .blocks = network->blocks,
        .blocks_beside = network->beside,
    };
}

// Labels of row sets that batches may leave out.
static void take_absent(gw_network *network, gw_plan *plan) {
    for (int i = 0; i < GW_BATCH_ROWS; i++) {
        const gw_plan_rows *rows = &plan->rows[i];
        const int64_t classes = rows->most * rows->classes, numbers = rows->most * rows->numbers;
        if (classes > network->no_class_count) network->no_class_count = classes;
        if (numbers > network->no_number_count) network->no_number_count = numbers;
    }
    network->no_class = gw_plan_alloc(plan, network->no_class_count, sizeof *network->no_class);
    network->no_number = gw_plan_alloc(plan, network->no_number_count, sizeof *network->no_number);
}

static void declare_own(gw_plan *plan, const gw_network *network) {
    const gw_network_options *options = &network->options;
    switch (network->head->own) {
    case GW_OWN_ROWS: gw_plan_row_set(plan, GW_ROWS_OWN, GW_ROWS_TOKENS, options->masked); break;
    case GW_OWN_SEQUENCES: gw_plan_sequence_rows(plan, GW_ROWS_OWN, GW_ROWS_TOKENS); break;
    case GW_OWN_STREAM: gw_plan_stream(plan, GW_ROWS_OWN, options->targets, options->sequences); break;
    case GW_OWN_CHOICES: {
        const int64_t most = gw_choice_entries(&network->model->config, options->tokens);
        gw_plan_stream(plan, GW_ROWS_OWN, most, most);
        break;
    }
    default: break;
    }
}

static void describe_contrast(gw_plan *plan, const gw_network *network, gw_tensor globals) {
    const int64_t most = network->options.contrasts;
    gw_plan_row_set(plan, GW_ROWS_PREDICTED, GW_ROWS_GLOBALS, most);
    gw_plan_row_set(plan, GW_ROWS_ENCODED, GW_ROWS_GLOBALS, most);
    gw_plan_contrast_loss(plan, gw_plan_gather(plan, globals, GW_ROWS_PREDICTED),
                          gw_plan_gather(plan, globals, GW_ROWS_ENCODED));
}

void gw_network_describe(gw_plan *plan, void *context) {
    gw_network *network = context;
    const gw_network_options *options = &network->options;
    gw_plan_stream(plan, GW_ROWS_TOKENS, options->tokens, options->sequences);
    gw_plan_sequence_rows(plan, GW_ROWS_FIRST, GW_ROWS_TOKENS);
    declare_own(plan, network);
    gw_network_describe_levels(network, plan);
    gw_network_describe_cone(network, plan);
    gw_network_describe_mixer(network, plan);
    network->position = gw_plan_alloc(plan, options->tokens, sizeof(int32_t));
    network->segment = gw_plan_alloc(plan, options->tokens, sizeof(int32_t));
    if (network->model->config.token_dropout)
        network->token_scale = gw_plan_alloc(plan, options->tokens, sizeof(float));
    network->target_position = gw_plan_alloc(plan, options->targets, sizeof(int32_t));
    network->target_segment = gw_plan_alloc(plan, options->targets, sizeof(int32_t));
    network->first_row = gw_plan_alloc(plan, options->sequences, sizeof(int32_t));
    network->prefix = gw_plan_alloc(plan, options->sequences, sizeof(int32_t));
    const gw_encoder_weights weights = encoder_weights(network);
    if (network->model->config.rotary > 0 && network->architecture.rows != GW_ROWS_TOKENS)
        network->picked_position[network->architecture.rows] =
            gw_plan_alloc(plan, plan->rows[network->architecture.rows].most, sizeof(int32_t));
    gw_tensor globals = {0};
    network->hidden = gw_plan_encoder(plan, &network->architecture, &weights, &globals);
    gw_plan_output(plan, network->hidden);
    if (options->contrasts > 0) describe_contrast(plan, network, globals);
    if (options->memory) gw_network_describe_memory(plan, network);
    else network->head->describe(plan, network);
    take_absent(network, plan);
    gw_network_take_inputs(network, plan);
}
