// SPDX-License-Identifier: MIT
// Masked tokens and sentence pairs, logits [sequences][2] of the pooled first token: B follows A, or does not.
#include "model/head.h"

static void list(const gw_config *config, gw_tensor_list *out) {
    gw_head_masked.list(config, out);
    gw_list_linear(out, GW_ROLE_PAIR, "cls.seq_relationship", 2, config->width);
}

const gw_head_row gw_head_pretraining = {
    .suffix = "ForPreTraining",
    .masked = true,
    .pairs = true,
    .list = list,
    .pooler = GW_POOLER_READ,
};
