// SPDX-License-Identifier: MIT
// Dense layer, activation and norm before a head's logits.
#include "network/heads/transform.h"

#include "model/family.h"

static gw_activation activation_of(const gw_config *config) {
    const gw_activation of_family = gw_family_of(config->family)->mask_activation;
    if (config->head_activation != GW_ACTIVATION_NONE) return config->head_activation;
    return of_family != GW_ACTIVATION_NONE ? of_family : config->activation;
}

gw_tensor gw_head_transform(gw_builder *b, gw_tensor x) {
    const gw_config *config = b->config;
    x = gw_build_linear(b, x, GW_ROLE_MASK_TRANSFORM, "cls.predictions.transform.dense", config->width,
                        config->head_bias);
    x = gw_plan_activation(b->plan, x, activation_of(config));
    return gw_build_norm(b, x, GW_ROLE_MASK_NORM, "cls.predictions.transform.LayerNorm");
}

bool gw_transforms_all_heads(const gw_config *config) {
    return gw_family_of(config->family)->head_transform;
}
