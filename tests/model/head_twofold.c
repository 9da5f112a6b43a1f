// SPDX-License-Identifier: MIT
// A head that no model has, with two losses on two row sets: classes of sequences by logits W h_0 + b of the first
// token's h_0, and a number for each token, w . h + c.
#include "network/network_private.h"

enum { NUMBER = GW_ROLE_OWN };

static void list(const gw_config *config, gw_tensor_list *out) {
    gw_list_linear(out, GW_ROLE_LOGITS, "twofold.class", config->labels, config->width);
    gw_list_linear(out, NUMBER, "twofold.number", 1, config->width);
}

static void describe(gw_plan *plan, gw_network *network) {
    const gw_weights_view *weights = &network->weights;
    const gw_tensor first = gw_plan_gather(plan, network->hidden, GW_ROWS_FIRST);
    gw_plan_cross_entropy(
        plan, gw_plan_linear(plan, first, gw_view_linear(weights, GW_ROLE_LOGITS), network->model->config.labels));
    gw_plan_number_loss(plan, gw_plan_linear(plan, network->hidden, gw_view_linear(weights, NUMBER), 1),
                        (gw_number_loss){0});
}

static gw_status check_labels(const gw_network *network) {
    return gw_network_check_classes(network, GW_ROWS_FIRST, "class", network->model->config.labels);
}

const gw_head_row gw_head_twofold = {
    .suffix = "ForTwofoldLabels",
    .labels = true,
    .list = list,
    .tokens = true,
    .describe = describe,
    .check_labels = check_labels,
};
