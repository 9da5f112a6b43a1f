// SPDX-License-Identifier: MIT
// Tensors by role, as descriptions read them: where they lie, laid out for products or not, with their gradients.
#include "model/family.h"
#include "network/network_private.h"

// The weight or bias of a role, whose values are NULL where the model has none.
gw_weight gw_network_weight(const gw_network *network, gw_role role, int layer, bool bias) {
    const gw_parameter *parameter = gw_model_role(network->model, role, layer, bias);
    if (!parameter) return (gw_weight){NULL, NULL};
    const bool sinusoids = parameter->fixed && gw_family_of(network->model->config.family)->sinusoids;
    return (gw_weight){(float *)network->model->parameters.mirror.device + parameter->offset,
                       network->gradient && !sinusoids ? network->gradient + parameter->offset : NULL};
}

static const gw_packed *packed(const gw_network *network, gw_role role, int layer) {
    const gw_model *model = network->model;
    const gw_parameter *parameter = gw_model_role(model, role, layer, false);
    return model->packed && parameter ? model->packed[parameter - model->parameters.list] : NULL;
}

gw_linear gw_network_layer_linear(const gw_network *network, gw_role role, int layer) {
    return (gw_linear){gw_network_weight(network, role, layer, false), gw_network_weight(network, role, layer, true),
                       packed(network, role, layer), network->architecture.precision};
}

gw_norm gw_network_layer_norm(const gw_network *network, gw_role role, int layer) {
    return (gw_norm){gw_network_weight(network, role, layer, false), gw_network_weight(network, role, layer, true)};
}

gw_block_weights gw_network_block_weights(const gw_network *network, int layer) {
    return (gw_block_weights){
        .query = gw_network_layer_linear(network, GW_ROLE_QUERY, layer),
        .key = gw_network_layer_linear(network, GW_ROLE_KEY, layer),
        .value = gw_network_layer_linear(network, GW_ROLE_VALUE, layer),
        .attention_output = gw_network_layer_linear(network, GW_ROLE_ATTENTION_OUTPUT, layer),
        .attention_norm = gw_network_layer_norm(network, GW_ROLE_ATTENTION_NORM, layer),
        .feed_forward = gw_network_layer_linear(network, GW_ROLE_FEED_FORWARD, layer),
        .output = gw_network_layer_linear(network, GW_ROLE_OUTPUT, layer),
        .output_norm = gw_network_layer_norm(network, GW_ROLE_OUTPUT_NORM, layer),
        .sbm = {.nodes = gw_network_layer_linear(network, GW_ROLE_NODES, layer),
                .nodes_last = gw_network_layer_linear(network, GW_ROLE_NODES_LAST, layer),
                .clusters = gw_network_weight(network, GW_ROLE_CLUSTERS, layer, false)},
    };
}

gw_linear gw_network_linear(const gw_network *network, gw_role role) {
    return gw_network_layer_linear(network, role, 0);
}

gw_norm gw_network_norm(const gw_network *network, gw_role role) {
    return gw_network_layer_norm(network, role, 0);
}

gw_weight gw_network_bias(const gw_network *network, gw_role role) {
    return gw_network_weight(network, role, 0, true);
}

gw_activation gw_network_activation(const gw_network *network, gw_activation own) {
    return own != GW_ACTIVATION_NONE ? own : network->architecture.activation;
}
