// SPDX-License-Identifier: MIT
// Dense layer, activation and norm before a head's logits.
#include "network/heads/transform.h"

gw_tensor gw_head_transform(gw_builder *b, gw_tensor x) {
    const gw_config *config = b->config;
    const gw_activation named = config->head_activation, own = b->of.mask_activation;
    x = gw_build_linear(b, x, GW_ROLE_MASK_TRANSFORM, b->of.transform, config->width, config->head_bias);
    x = gw_plan_activation(b->plan, x,
                           named != GW_ACTIVATION_NONE ? named
                           : own != GW_ACTIVATION_NONE ? own
                                                       : config->activation);
    return gw_build_norm(b, x, GW_ROLE_MASK_NORM, b->of.transform_norm);
}
