// SPDX-License-Identifier: MIT
// A head that no model has: classes of sequences by logits W LN(h_0 + act(V h_0)) + b of the first token's h_0.
#include "network/network_private.h"

enum { BLOCK = GW_ROLE_OWN, NORM };

static void describe(gw_builder *b, gw_tensor hidden) {
    const gw_config *config = b->config;
    const gw_tensor first = gw_plan_gather(b->plan, hidden, GW_ROWS_FIRST);
    gw_tensor x = gw_build_linear(b, first, BLOCK, "residual.dense", config->width, true);
    x = gw_plan_sum(b->plan, gw_plan_activation(b->plan, x, config->activation), first);
    x = gw_build_norm(b, x, NORM, "residual.LayerNorm");
    gw_plan_cross_entropy(b->plan, gw_build_linear(b, x, GW_ROLE_LOGITS, "residual.out", config->labels, true));
}

static gw_status check_labels(const gw_network *network) {
    return gw_network_check_classes(network, GW_ROWS_FIRST, "residual class", network->model->config.labels);
}

const gw_head_row gw_head_residual = {
    .suffix = "ForResidualLabels",
    .labels = true,
    .describe = describe,
    .check_labels = check_labels,
};
