// SPDX-License-Identifier: MIT
// From a model's config and parameters to the plan of its ops.
#include "model/family.h"
#include "network/network_private.h"
#include "nn/contrast.h"

#include <string.h>

// Finds a declared tensor among the model's, most often behind the one before it.
static gw_found_tensor find_tensor(gw_builder *b, const gw_parameter *declared) {
    gw_network *network = b->network;
    const gw_model *model = network->model;
    const gw_parameters *parameters = &model->parameters;
    const gw_parameter *next = parameters->list + network->next_parameter % parameters->count;
    const gw_parameter *found =
        strcmp(next->name, declared->name) == 0 ? next : gw_parameters_find(parameters, declared->name);
    if (!found) return (gw_found_tensor){0};
    const int64_t index = found - parameters->list;
    network->next_parameter = (int)index + 1;
    const bool sinusoids = found->fixed && found->beginning == GW_BEGINS_SINUSOIDS;
    float *gradient = network->gradient && !sinusoids ? network->gradient + found->offset : NULL;
    return (gw_found_tensor){{(float *)parameters->mirror.device + found->offset, gradient},
                             model->packed ? model->packed[index] : NULL};
}

static gw_tensor mix(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value) {
    return b->network->mixer->describe(b, layer, query, key, value);
}

static void describe_contrast(gw_plan *plan, const gw_network *network, gw_tensor globals) {
    const int64_t most = network->options.contrasts;
    gw_plan_row_set(plan, GW_ROWS_PREDICTED, GW_ROWS_GLOBALS, most);
    gw_plan_row_set(plan, GW_ROWS_ENCODED, GW_ROWS_GLOBALS, most);
    gw_plan_contrast_loss(plan, gw_plan_gather(plan, globals, GW_ROWS_PREDICTED),
                          gw_plan_gather(plan, globals, GW_ROWS_ENCODED));
}

// What a decoder that writes reads of the source.
static void describe_memory(gw_network *network) {
    gw_describe_source(&network->builder, network->hidden, network->memory);
    for (int i = 0; i < 2 * network->model->config.decoder_layers; i++)
        gw_plan_output(&network->plan, network->memory[i]);
}

// Behind the encoder: its hidden states are outputs, and the head reads them.
static void end(gw_builder *b, gw_tensor hidden, gw_tensor beside) {
    gw_network *network = b->network;
    network->hidden = hidden;
    gw_plan_output(b->plan, hidden);
    if (network->options.contrasts > 0) describe_contrast(b->plan, network, beside);
    if (network->options.memory) describe_memory(network);
    else network->head->describe(b, hidden);
}

// A head that reads more of a sequence than its first row needs all its rows.
static int rows_of(const gw_network *network) {
    const bool all = !network->head->bare && network->model->config.pooling != GW_SEQUENCE_FIRST;
    switch (network->options.output_rows) {
    case GW_OUTPUT_FIRST: return all ? GW_ROWS_TOKENS : GW_ROWS_FIRST;
    case GW_OUTPUT_MASKED: return GW_ROWS_MASKED;
    default: return GW_ROWS_TOKENS;
    }
}

void gw_network_begin_builder(gw_network *network) {
    const gw_config *config = &network->model->config;
    const int asked = network->options.layers;
    gw_builder *b = &network->builder;
    b->config = config;
    b->plan = &network->plan;
    b->network = network;
    b->find = find_tensor;
    b->mix = mix;
    b->end = end;
    b->picks = network->mixer->picks;
    b->zeros = network->zeros;
    b->prefix = "";
    b->deviation = -1;
    b->layers = asked == 0 ? (int)config->layers : asked > 0 ? asked : 0;
    b->rows.tokens = b->rows.level[0] = GW_ROWS_TOKENS;
    b->rows.blocks = network->mixer->holds_tokens ? GW_ROWS_MIXER : GW_ROWS_TOKENS;
    b->rows.made = rows_of(network);
    b->rows.beside = network->options.contrasts > 0 ? GW_ROWS_GLOBALS : 0;
    b->rows.others = gw_config_own_layers(config) != 0 ? GW_ROWS_GLOBALS : 0;
    for (int level = 1; level <= config->stem.levels; level++) b->rows.level[level] = GW_BATCH_ROWS - level;
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

void gw_network_describe(gw_plan *plan, void *context) {
    gw_network *network = context;
    const gw_network_options *options = &network->options;
    gw_plan_stream(plan, GW_ROWS_TOKENS, options->tokens, options->sequences);
    gw_plan_sequence_rows(plan, GW_ROWS_FIRST, GW_ROWS_TOKENS);
    declare_own(plan, network);
    gw_network_describe_levels(network, plan);
    gw_network_describe_mixer(network, plan);
    network->position = gw_plan_alloc(plan, options->tokens, sizeof(int32_t));
    network->segment = gw_plan_alloc(plan, options->tokens, sizeof(int32_t));
    if (network->model->config.token_dropout)
        network->token_scale = gw_plan_alloc(plan, options->tokens, sizeof(float));
    network->target_position = gw_plan_alloc(plan, options->targets, sizeof(int32_t));
    network->target_segment = gw_plan_alloc(plan, options->targets, sizeof(int32_t));
    network->first_row = gw_plan_alloc(plan, options->sequences, sizeof(int32_t));
    network->prefix = gw_plan_alloc(plan, options->sequences, sizeof(int32_t));
    const int made = network->builder.rows.made;
    if (network->model->config.rotary > 0 && made != GW_ROWS_TOKENS)
        network->picked_position[made] = gw_plan_alloc(plan, plan->rows[made].most, sizeof(int32_t));
    gw_family_of(network->model->config.family)->describe(&network->builder);
    take_absent(network, plan);
    gw_network_take_inputs(network, plan);
}
