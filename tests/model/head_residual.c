// SPDX-License-Identifier: MIT
// A head that no model has: classes of sequences by logits W LN(h_0 + act(V h_0)) + b of the first token's h_0.
#include "network/network_private.h"

enum { BLOCK = GW_ROLE_OWN, NORM };

static void list(const gw_config *config, gw_tensor_list *out) {
    gw_list_linear(out, BLOCK, "residual.dense", config->width, config->width);
    gw_list_norm(out, NORM, "residual.LayerNorm");
    gw_list_linear(out, GW_ROLE_LOGITS, "residual.out", config->labels, config->width);
}

static void describe(gw_plan *plan, gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_tensor first = gw_plan_gather(plan, network->hidden, GW_ROWS_FIRST);
    gw_tensor x = gw_plan_linear(plan, first, gw_view_linear(&network->weights, BLOCK), config->width);
    x = gw_plan_sum(plan, gw_plan_activation(plan, x, config->activation), first);
    x = gw_plan_norm(plan, x, gw_view_norm(&network->weights, NORM), config->epsilon);
    gw_plan_cross_entropy(plan,
                          gw_plan_linear(plan, x, gw_view_linear(&network->weights, GW_ROLE_LOGITS), config->labels));
}

static gw_status check_labels(const gw_network *network) {
    return gw_network_check_classes(network, GW_ROWS_FIRST, "residual class", network->model->config.labels);
}

const gw_head_row gw_head_residual = {
    .suffix = "ForResidualLabels",
    .labels = true,
    .list = list,
    .describe = describe,
    .check_labels = check_labels,
};
