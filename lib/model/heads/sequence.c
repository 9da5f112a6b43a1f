// SPDX-License-Identifier: MIT
// Labels of sequences: logits [sequences][labels] of the first token, pooled, or through a layer of the head's own.
#include "model/head.h"

static void list(const gw_config *config, gw_tensor_list *out) {
    const bool pooled = gw_head_reads_pooler(config);
    if (!pooled) gw_list_linear(out, GW_ROLE_HEAD_DENSE, "classifier.dense", config->width, config->width);
    gw_list_linear(out, GW_ROLE_LOGITS, pooled ? "classifier" : "classifier.out_proj", config->labels, config->width);
}

const gw_head_row gw_head_sequence = {
    .suffix = "ForSequenceClassification",
    .labels = true,
    .problem = true,
    .list = list,
    .pooler = GW_POOLER_OR_DENSE,
};
