// SPDX-License-Identifier: MIT
// Multiple choice: one logit a sequence, of the pooled first token; so many sequences in a row are a question's
// answers.
#include "model/head.h"

static void list(const gw_config *config, gw_tensor_list *out) {
    gw_list_linear(out, GW_ROLE_LOGITS, "classifier", 1, config->width);
}

const gw_head_row gw_head_multiple_choice = {
    .suffix = "ForMultipleChoice",
    .list = list,
    .pooler = GW_POOLER_READ,
};
