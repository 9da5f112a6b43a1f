// SPDX-License-Identifier: MIT
// Masked tokens and sentence pairs, logits [sequences][2] of the pooled first token: B follows A, or does not.
#include "network/heads/pooled.h"

enum { CLASSES = 2 };

static void list(const gw_config *config, gw_tensor_list *out) {
    gw_head_masked.list(config, out);
    gw_list_linear(out, GW_ROLE_PAIR, "cls.seq_relationship", CLASSES, config->width);
}

static void describe(gw_plan *plan, gw_network *network) {
    gw_head_masked.describe(plan, network);
    if (!network->options.nsp_head) return;
    gw_plan_cross_entropy(plan, gw_network_pooled_logits(plan, network, GW_ROLE_PAIR, 0, CLASSES));
}

static gw_status check_labels(const gw_network *network) {
    GW_TRY(gw_head_masked.check_labels(network));
    return gw_network_check_classes(network, GW_ROWS_FIRST, "pair label", CLASSES);
}

const gw_head_row gw_head_pretraining = {
    .suffix = "ForPreTraining",
    .masked = true,
    .pairs = true,
    .list = list,
    .pooler = GW_POOLER_READ,
    .describe = describe,
    .own = GW_OWN_ROWS,
    .check_labels = check_labels,
};
