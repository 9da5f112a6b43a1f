// SPDX-License-Identifier: MIT
// A dense layer with tanh over the row of a sequence, and the logits over that.
#include "network/heads/pooled.h"

#include "model/family.h"
#include "network/heads/transform.h"
#include "nn/flatten.h"
#include "nn/pool.h"

#include <math.h>

// Softmax over the rows h of a sequence of w . h / sqrt(width).
static gw_tensor attention_rows(gw_plan *plan, const gw_network *network) {
    const gw_tensor h = network->hidden;
    const gw_tensor score = gw_plan_linear(plan, h, gw_view_linear(&network->weights, GW_ROLE_POOL_QUERY), 1);
    return gw_plan_attention_pool(plan, h, score, GW_ROWS_FIRST, 1 / sqrt((double)h.width));
}

// A linear layer over the rows of a sequence end to end.
static gw_tensor flat_rows(gw_plan *plan, const gw_network *network) {
    const gw_weight weight = gw_view_weight(&network->weights, GW_ROLE_FLATTEN, 0, false);
    const int64_t places = gw_config_pooled_rows(&network->model->config);
    return gw_plan_flatten(plan, network->hidden, weight, places, GW_ROWS_FIRST, network->hidden.width);
}

// As many rows in one window as any sequence has.
gw_tensor gw_network_sequence_rows(gw_plan *plan, const gw_network *network) {
    const gw_tensor hidden = network->hidden;
    const int all = (int)network->options.tokens;
    switch (network->model->config.pooling) {
    case GW_SEQUENCE_FIRST: return gw_plan_gather(plan, hidden, GW_ROWS_FIRST);
    case GW_SEQUENCE_ATTENTION: return attention_rows(plan, network);
    case GW_SEQUENCE_FLATTEN: return flat_rows(plan, network);
    default: break;
    }
    const gw_tensor mean = gw_plan_pool(plan, hidden, GW_ROWS_FIRST, GW_POOL_MEAN, all);
    const gw_weight places = gw_view_weight(&network->weights, GW_ROLE_PLACES, 0, false);
    if (!places.value) return mean;
    const gw_tensor weighed =
        gw_plan_weigh_places(plan, hidden, places, gw_config_pooled_rows(&network->model->config));
    return gw_plan_sum(plan, gw_plan_pool(plan, weighed, GW_ROWS_FIRST, GW_POOL_SUM, all), mean);
}

gw_tensor gw_network_pool(gw_plan *plan, const gw_network *network) {
    const gw_tensor first = gw_network_sequence_rows(plan, network);
    if (gw_family_of(network->model->config.family)->head_transform) return gw_network_transform(plan, network, first);
    const gw_tensor dense = gw_plan_linear(plan, first, gw_view_linear(&network->weights, GW_ROLE_POOLER), first.width);
    const gw_activation named = network->model->config.head_activation;
    return gw_plan_activation(plan, dense, named == GW_ACTIVATION_NONE ? GW_ACTIVATION_TANH : named);
}

gw_tensor gw_network_pooled_logits(gw_plan *plan, const gw_network *network, gw_role role, double dropout,
                                   int64_t width) {
    gw_tensor x = gw_network_pool(plan, network);
    x = gw_plan_dropout(plan, x, (gw_dropout){dropout, GW_DROPOUT_HEAD_OUT});
    return gw_plan_linear(plan, x, gw_view_linear(&network->weights, role), width);
}
