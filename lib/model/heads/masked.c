// SPDX-License-Identifier: MIT
// Masked tokens: logits [masked][vocabulary] = LN(act(W h + b)) token_embedding^T + bias.
#include "model/head.h"

static const char decoder[] = "cls.predictions";

static void list(const gw_config *config, gw_tensor_list *out) {
    gw_list_linear(out, GW_ROLE_MASK_TRANSFORM, "cls.predictions.transform.dense", config->width, config->width);
    gw_list_norm(out, GW_ROLE_MASK_NORM, "cls.predictions.transform.LayerNorm");
    gw_list_bias(out, GW_ROLE_MASK_DECODER, decoder, config->vocabulary);
}

const gw_head_row gw_head_masked = {
    .suffix = "ForMaskedLM",
    .masked = true,
    .list = list,
    .decoder = decoder,
};
