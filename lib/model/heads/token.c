// SPDX-License-Identifier: MIT
// Labels of tokens: logits [tokens][labels] = W dropout(h) + b.
#include "model/head.h"

static void list(const gw_config *config, gw_tensor_list *out) {
    gw_list_linear(out, GW_ROLE_LOGITS, "classifier", config->labels, config->width);
}

const gw_head_row gw_head_token = {.suffix = "ForTokenClassification", .labels = true, .list = list};
