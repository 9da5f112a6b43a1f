// SPDX-License-Identifier: MIT
// From a model's config and parameters to the plan of its ops.
#include "model/family.h"
#include "model/network_private.h"

#include <math.h>

gw_architecture gw_network_architecture(const gw_config *config, int layers) {
    return (gw_architecture){
        .norm = config->pre_norm ? GW_NORM_BEFORE : GW_NORM_AFTER,
        .order = gw_family_of(config->family)->order,
        .last_norm = config->last_norm && layers == config->layers,
        .activation = config->activation,
        .stream = GW_ROWS_TOKENS,
        .width = config->width,
        .feed_forward = config->feed_forward,
        .layers = layers,
        .heads = (int)config->heads,
        .rotary = config->rotary,
        .rotary_base = config->rotary_base,
        .epsilon = config->epsilon,
        .dropout = config->dropout,
        .classifier_dropout = config->classifier_dropout,
    };
}

// The weight or bias of a role, whose values are NULL where the model has none.
static gw_weight weight(const gw_network *network, gw_role role, int layer, bool bias) {
    const gw_parameter *parameter = gw_model_role(network->model, role, layer, bias);
    if (!parameter) return (gw_weight){NULL, NULL};
    return (gw_weight){(float *)network->model->parameters.mirror.device + parameter->offset,
                       network->gradient ? network->gradient + parameter->offset : NULL};
}

static const gw_packed *packed(const gw_network *network, gw_role role, int layer) {
    const gw_model *model = network->model;
    return model->packed ? model->packed[gw_model_role(model, role, layer, false) - model->parameters.list] : NULL;
}

static gw_linear linear(const gw_network *network, gw_role role, int layer) {
    return (gw_linear){weight(network, role, layer, false), weight(network, role, layer, true),
                       packed(network, role, layer), network->architecture.precision};
}

static gw_norm norm(const gw_network *network, gw_role role, int layer) {
    return (gw_norm){weight(network, role, layer, false), weight(network, role, layer, true)};
}

gw_block_weights gw_network_block_weights(const gw_network *network, int layer) {
    return (gw_block_weights){
        .query = linear(network, GW_ROLE_QUERY, layer),
        .key = linear(network, GW_ROLE_KEY, layer),
        .value = linear(network, GW_ROLE_VALUE, layer),
        .attention_output = linear(network, GW_ROLE_ATTENTION_OUTPUT, layer),
        .attention_norm = norm(network, GW_ROLE_ATTENTION_NORM, layer),
        .feed_forward = linear(network, GW_ROLE_FEED_FORWARD, layer),
        .output = linear(network, GW_ROLE_OUTPUT, layer),
        .output_norm = norm(network, GW_ROLE_OUTPUT_NORM, layer),
    };
}

static gw_encoder_weights encoder_weights(const gw_network *network) {
    const gw_config *config = &network->model->config;
    return (gw_encoder_weights){
        .embedding = {.token = weight(network, GW_ROLE_TOKEN_EMBEDDING, 0, false),
                      .position = weight(network, GW_ROLE_POSITION, 0, false),
                      .segment = weight(network, GW_ROLE_SEGMENT, 0, false),
                      .token_scale = config->rescale ? sqrt((double)config->width) : 1,
                      .vocabulary = config->vocabulary,
                      .positions = config->positions,
                      .segments = config->segments},
        .embedding_norm = norm(network, GW_ROLE_EMBEDDING_NORM, 0),
        .last_norm = norm(network, GW_ROLE_LAST_NORM, 0),
        .blocks = network->blocks,
    };
}

// A head's own activation, or that of the encoder's feed-forward layers.
static gw_activation activation_or(gw_activation own, const gw_network *network) {
    return own != GW_ACTIVATION_NONE ? own : network->architecture.activation;
}

static void describe_masked(gw_plan *plan, gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_mask_head head = {
        .transform = linear(network, GW_ROLE_MASK_TRANSFORM, 0),
        .activation = activation_or(gw_family_of(config->family)->mask_activation, network),
        .norm = norm(network, GW_ROLE_MASK_NORM, 0),
        .decoder = {weight(network, GW_ROLE_TOKEN_EMBEDDING, 0, false), weight(network, GW_ROLE_MASK_DECODER, 0, true),
                    packed(network, GW_ROLE_TOKEN_EMBEDDING, 0), network->architecture.precision},
        .rows = GW_ROWS_MASKED,
    };
    network->mask_logits = gw_plan_mask_head(plan, &network->architecture, network->hidden, head, config->vocabulary);
    network->mask_loss = gw_plan_cross_entropy(plan, network->mask_logits);
}

static gw_tensor describe_pooled_head(gw_plan *plan, const gw_network *network, gw_role role, double dropout,
                                      int64_t width) {
    const gw_pooled_head head = {linear(network, GW_ROLE_POOLER, 0), linear(network, role, 0), dropout, GW_ROWS_FIRST};
    return gw_plan_pooled_head(plan, network->hidden, head, width);
}

static gw_loss describe_label_loss(gw_plan *plan, const gw_config *config, gw_tensor logits) {
    switch (config->problem) {
    case GW_PROBLEM_SINGLE_LABEL: return gw_plan_cross_entropy(plan, logits);
    case GW_PROBLEM_REGRESSION: return gw_plan_squared_error(plan, logits);
    default: return gw_plan_bce(plan, logits, config->positive_weight);
    }
}

static void describe_sequence_head(gw_plan *plan, gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_architecture *a = &network->architecture;
    const gw_family_row *family = gw_family_of(config->family);
    if (family->dense_labels) {
        const gw_label_head head = {linear(network, GW_ROLE_HEAD_DENSE, 0),
                                    activation_or(family->dense_activation, network),
                                    linear(network, GW_ROLE_LOGITS, 0), GW_ROWS_FIRST};
        network->logits = gw_plan_label_head(plan, a, network->hidden, head, config->labels);
    } else {
        network->logits = describe_pooled_head(plan, network, GW_ROLE_LOGITS, a->classifier_dropout, config->labels);
    }
    network->loss = describe_label_loss(plan, config, network->logits);
}

static void describe_token_head(gw_plan *plan, gw_network *network) {
    const gw_linear output = linear(network, GW_ROLE_LOGITS, 0);
    network->logits = gw_plan_token_head(plan, network->hidden, output, network->architecture.classifier_dropout,
                                         network->model->config.labels);
    network->loss = gw_plan_cross_entropy(plan, network->logits);
}

static void describe_span_head(gw_plan *plan, gw_network *network) {
    const gw_linear logits = linear(network, GW_ROLE_LOGITS, 0);
    if (gw_network_splits_questions(network)) {
        const gw_span_head head = {linear(network, GW_ROLE_SPAN_FEED_FORWARD, 0),
                                   linear(network, GW_ROLE_SPAN_OUTPUT, 0), norm(network, GW_ROLE_SPAN_NORM, 0),
                                   logits};
        network->logits = gw_plan_span_head(plan, &network->architecture, network->hidden, head);
    } else {
        network->logits = gw_plan_token_head(plan, network->hidden, logits, 0, 2);
    }
    network->loss = gw_plan_span_loss(plan, network->logits, GW_ROWS_FIRST);
}

static void describe_multiple_choice_head(gw_plan *plan, gw_network *network) {
    const gw_architecture *a = &network->architecture;
    const bool hidden = gw_family_of(network->model->config.family)->choice_drops_hidden;
    const double dropout = hidden ? a->dropout : a->classifier_dropout;
    network->logits = describe_pooled_head(plan, network, GW_ROLE_LOGITS, dropout, 1);
    network->loss = gw_plan_multiple_choice_loss(plan, network->logits, GW_ROWS_QUESTIONS);
}

static void describe_heads(gw_plan *plan, gw_network *network) {
    if (network->options.masked > 0) describe_masked(plan, network);
    if (network->options.nsp_head) {
        network->nsp_logits = describe_pooled_head(plan, network, GW_ROLE_PAIR, 0, 2);
        network->nsp_loss = gw_plan_cross_entropy(plan, network->nsp_logits);
    }
    switch (network->head) {
    case GW_HEAD_SEQUENCE: describe_sequence_head(plan, network); break;
    case GW_HEAD_TOKEN: describe_token_head(plan, network); break;
    case GW_HEAD_SPAN: describe_span_head(plan, network); break;
    case GW_HEAD_MULTIPLE_CHOICE: describe_multiple_choice_head(plan, network); break;
    case GW_HEAD_NONE:
        if (network->options.layers != 0 || !gw_model_role(network->model, GW_ROLE_POOLER, 0, false)) break;
        network->pooled = gw_plan_pooled(plan, network->hidden, linear(network, GW_ROLE_POOLER, 0), GW_ROWS_FIRST);
        gw_plan_output(plan, network->pooled);
        break;
    default: break; // the pretraining heads, above
    }
}

static int64_t most_classes(const gw_network_options *options) {
    const int64_t most = options->tokens > options->masked ? options->tokens : options->masked;
    return most > 2 * options->sequences ? most : 2 * options->sequences;
}

void gw_network_describe(gw_plan *plan, void *context) {
    gw_network *network = context;
    const gw_network_options *options = &network->options;
    gw_plan_stream(plan, GW_ROWS_TOKENS, options->tokens, options->sequences);
    gw_plan_row_set(plan, GW_ROWS_MASKED, GW_ROWS_TOKENS, options->masked);
    gw_plan_sequence_rows(plan, GW_ROWS_FIRST, GW_ROWS_TOKENS);
    gw_plan_sequence_rows(plan, GW_ROWS_QUESTIONS, GW_ROWS_TOKENS);
    network->position = gw_plan_take(plan, options->tokens, sizeof(int32_t));
    network->segment = gw_plan_take(plan, options->tokens, sizeof(int32_t));
    network->first_row = gw_plan_take(plan, options->sequences, sizeof(int32_t));
    network->prefix = gw_plan_take(plan, options->sequences, sizeof(int32_t));
    network->no_class_count = most_classes(options);
    network->no_class = gw_plan_take(plan, network->no_class_count, sizeof(int32_t));
    network->no_label = gw_plan_take(plan, options->sequences * network->model->config.labels, sizeof(float));
    gw_network_take_inputs(network, plan);
    const gw_encoder_weights weights = encoder_weights(network);
    network->hidden = gw_plan_encoder(plan, &network->architecture, &weights, network->graphs);
    gw_plan_output(plan, network->hidden);
    describe_heads(plan, network);
}
