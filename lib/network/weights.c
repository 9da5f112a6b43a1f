// SPDX-License-Identifier: MIT
// Tensors by role, as descriptions take them.
#include "network/network_private.h"

#include "model/family.h"

gw_weight gw_view_weight(const gw_weights_view *view, gw_role role, int layer, bool bias) {
    const gw_parameter *parameter = gw_model_role(view->model, role, layer, bias);
    if (!parameter) return (gw_weight){NULL, NULL};
    const bool sinusoids = parameter->fixed && gw_family_of(view->model->config.family)->sinusoids;
    return (gw_weight){(float *)view->model->parameters.mirror.device + parameter->offset,
                       view->gradient && !sinusoids ? view->gradient + parameter->offset : NULL};
}

static const gw_packed *packed(const gw_weights_view *view, gw_role role, int layer) {
    const gw_model *model = view->model;
    const gw_parameter *parameter = gw_model_role(model, role, layer, false);
    return model->packed && parameter ? model->packed[parameter - model->parameters.list] : NULL;
}

gw_linear gw_view_layer_linear(const gw_weights_view *view, gw_role role, int layer) {
    return (gw_linear){gw_view_weight(view, role, layer, false), gw_view_weight(view, role, layer, true),
                       packed(view, role, layer), view->precision};
}

gw_norm gw_view_layer_norm(const gw_weights_view *view, gw_role role, int layer) {
    const gw_weight bias = {view->zeros, NULL}; // no bias at all would be another norm (nn/layers.h)
    return (gw_norm){gw_view_weight(view, role, layer, false),
                     view->zeros ? bias : gw_view_weight(view, role, layer, true)};
}

// The layer's of rows beside the tokens, or where these have none of their own that of all.
static gw_role beside_or(const gw_weights_view *view, gw_role role, int layer) {
    const gw_role own = role - GW_ROLE_ATTENTION_OUTPUT + GW_ROLE_BESIDE_ATTENTION_OUTPUT;
    return gw_model_role(view->model, own, layer, false) ? own : role;
}

void gw_view_block_beside(const gw_weights_view *view, int layer, gw_block_weights *block) {
    block->attention_output = gw_view_layer_linear(view, beside_or(view, GW_ROLE_ATTENTION_OUTPUT, layer), layer);
    block->attention_norm = gw_view_layer_norm(view, beside_or(view, GW_ROLE_ATTENTION_NORM, layer), layer);
    block->feed_forward = gw_view_layer_linear(view, beside_or(view, GW_ROLE_FEED_FORWARD, layer), layer);
    block->gate = gw_view_layer_linear(view, beside_or(view, GW_ROLE_GATE, layer), layer);
    block->output = gw_view_layer_linear(view, beside_or(view, GW_ROLE_OUTPUT, layer), layer);
    block->output_norm = gw_view_layer_norm(view, beside_or(view, GW_ROLE_OUTPUT_NORM, layer), layer);
}

gw_block_weights gw_view_block(const gw_weights_view *view, int layer) {
    return (gw_block_weights){
        .query = gw_view_layer_linear(view, GW_ROLE_QUERY, layer),
        .key = gw_view_layer_linear(view, GW_ROLE_KEY, layer),
        .value = gw_view_layer_linear(view, GW_ROLE_VALUE, layer),
        .attention_output = gw_view_layer_linear(view, GW_ROLE_ATTENTION_OUTPUT, layer),
        .attention_norm = gw_view_layer_norm(view, GW_ROLE_ATTENTION_NORM, layer),
        .feed_forward = gw_view_layer_linear(view, GW_ROLE_FEED_FORWARD, layer),
        .gate = gw_view_layer_linear(view, GW_ROLE_GATE, layer),
        .output = gw_view_layer_linear(view, GW_ROLE_OUTPUT, layer),
        .output_norm = gw_view_layer_norm(view, GW_ROLE_OUTPUT_NORM, layer),
    };
}

gw_linear gw_view_linear(const gw_weights_view *view, gw_role role) {
    return gw_view_layer_linear(view, role, 0);
}

gw_norm gw_view_norm(const gw_weights_view *view, gw_role role) {
    return gw_view_layer_norm(view, role, 0);
}

gw_weight gw_view_bias(const gw_weights_view *view, gw_role role) {
    return gw_view_weight(view, role, 0, true);
}

gw_activation gw_view_activation(const gw_weights_view *view, gw_activation own) {
    return own != GW_ACTIVATION_NONE ? own : view->model->config.activation;
}
