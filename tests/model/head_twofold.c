// SPDX-License-Identifier: MIT
// A head that no model has, with two losses on two row sets: classes of sequences by logits W h_0 + b of the first
// token's h_0, and a number for each token, w . h + c.
#include "network/network_private.h"

enum { NUMBER = GW_ROLE_OWN };

static void describe(gw_builder *b, gw_tensor hidden) {
    const gw_tensor first = gw_plan_gather(b->plan, hidden, GW_ROWS_FIRST);
    gw_plan_cross_entropy(b->plan, gw_build_linear(b, first, GW_ROLE_LOGITS, "twofold.class", b->config->labels, true));
    gw_plan_number_loss(b->plan, gw_build_linear(b, hidden, NUMBER, "twofold.number", 1, true), (gw_number_loss){0});
}

static gw_status check_labels(const gw_network *network) {
    return gw_network_check_classes(network, GW_ROWS_FIRST, "class", network->model->config.labels);
}

const gw_head_row gw_head_twofold = {
    .suffix = "ForTwofoldLabels",
    .labels = true,
    .tokens = true,
    .describe = describe,
    .check_labels = check_labels,
};
