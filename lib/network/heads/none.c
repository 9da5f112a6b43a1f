// SPDX-License-Identifier: MIT
// The bare encoder: the pooler's output, where it has one, which nothing trains.
#include "network/heads/pooled.h"

static void describe(gw_plan *plan, gw_network *network) {
    if (network->options.layers != 0 || !gw_model_role(network->model, GW_ROLE_POOLER, 0, false)) return;
    gw_plan_output(plan, gw_network_pool(plan, network));
}

const gw_head_row gw_head_none = {.suffix = "Model", .describe = describe};
