// SPDX-License-Identifier: MIT
// Masked tokens and sentence pairs. Logits [sequences][2] of the pooled first token: B follows A, or does not.
#include "network/heads/pooled.h"

enum { CLASSES = 2 };

static void describe(gw_builder *b, gw_tensor hidden) {
    gw_head_masked.describe(b, hidden);
    if (!b->lists && !b->network->options.nsp_head) return;
    const gw_tensor pair = gw_head_pool(b, hidden);
    gw_plan_cross_entropy(b->plan, gw_build_linear(b, pair, GW_ROLE_PAIR, "cls.seq_relationship", CLASSES, true));
}

static gw_status check_labels(const gw_network *network) {
    GW_TRY(gw_head_masked.check_labels(network));
    return gw_network_check_classes(network, GW_ROWS_FIRST, "pair label", CLASSES);
}

const gw_head_row gw_head_pretraining = {
    .suffix = "ForPreTraining",
    .masked = true,
    .pairs = true,
    .pooler = GW_POOLER_READ,
    .describe = describe,
    .own = GW_OWN_ROWS,
    .check_labels = check_labels,
};
