// SPDX-License-Identifier: MIT
// Dense layer, activation and norm before a head's logits.
#include "network/heads/transform.h"

#include "model/family.h"

static const char dense[] = "cls.predictions.transform.dense";

void gw_list_transform(const gw_config *config, gw_tensor_list *list) {
    gw_list_weight(list, GW_ROLE_MASK_TRANSFORM, dense, config->width, config->width);
    if (config->head_bias) gw_list_bias(list, GW_ROLE_MASK_TRANSFORM, dense, config->width);
    gw_list_norm(list, GW_ROLE_MASK_NORM, "cls.predictions.transform.LayerNorm");
}

static gw_activation activation_of(const gw_network *network) {
    const gw_config *config = &network->model->config;
    if (config->head_activation != GW_ACTIVATION_NONE) return config->head_activation;
    return gw_view_activation(&network->weights, gw_family_of(config->family)->mask_activation);
}

gw_tensor gw_network_transform(gw_plan *plan, const gw_network *network, gw_tensor x) {
    const gw_config *config = &network->model->config;
    x = gw_plan_linear(plan, x, gw_view_linear(&network->weights, GW_ROLE_MASK_TRANSFORM), config->width);
    x = gw_plan_activation(plan, x, activation_of(network));
    return gw_plan_norm(plan, x, gw_view_norm(&network->weights, GW_ROLE_MASK_NORM), config->epsilon);
}

void gw_list_head_transform(const gw_config *config, gw_tensor_list *list) {
    if (gw_family_of(config->family)->head_transform) gw_list_transform(config, list);
}

gw_tensor gw_network_head_transform(gw_plan *plan, const gw_network *network, gw_tensor x) {
    const bool transforms = gw_family_of(network->model->config.family)->head_transform;
    return transforms ? gw_network_transform(plan, network, x) : x;
}
