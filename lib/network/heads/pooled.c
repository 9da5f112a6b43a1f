// SPDX-License-Identifier: MIT
// A dense layer with tanh over the row of a sequence, and the logits over that.
#include "network/heads/pooled.h"

#include "network/heads/transform.h"
#include "nn/flatten.h"
#include "nn/pool.h"

#include <math.h>

// Softmax over the rows h of a sequence of w . h / sqrt(width).
static gw_tensor attention_rows(gw_builder *b, gw_tensor h) {
    const gw_tensor score = gw_build_linear(b, h, GW_ROLE_POOL_QUERY, "pool_query", 1, false);
    return gw_plan_attention_pool(b->plan, h, score, GW_ROWS_FIRST, 1 / sqrt((double)h.width));
}

// A linear layer over the rows of a sequence end to end.
static gw_tensor flat_rows(gw_builder *b, gw_tensor h) {
    const int64_t places = gw_config_pooled_rows(b->config);
    const gw_weight weight = gw_declare_weight(b, GW_ROLE_FLATTEN, "classifier.flatten", h.width, places * h.width);
    return gw_plan_flatten(b->plan, h, weight, places, GW_ROWS_FIRST, h.width);
}

gw_tensor gw_head_sequence_rows(gw_builder *b, gw_tensor hidden) {
    const int64_t places = gw_config_pooled_rows(b->config);
    const int all = b->lists ? 1 : (int)b->network->options.tokens; // rows of a window: as many as any sequence has
    gw_plan *plan = b->plan;
    switch (b->config->pooling) {
    case GW_SEQUENCE_FIRST: return gw_plan_gather(plan, hidden, GW_ROWS_FIRST);
    case GW_SEQUENCE_ATTENTION: return attention_rows(b, hidden);
    case GW_SEQUENCE_FLATTEN: return flat_rows(b, hidden);
    default: break;
    }
    const gw_tensor mean = gw_plan_pool(plan, hidden, GW_ROWS_FIRST, GW_POOL_MEAN, all);
    if (b->config->pooling != GW_SEQUENCE_PLACES) return mean;
    const gw_weight table = gw_declare_weight(b, GW_ROLE_PLACES, "classifier.places", places, hidden.width);
    const gw_tensor weighed = gw_plan_weigh_places(plan, hidden, table, places);
    return gw_plan_sum(plan, gw_plan_pool(plan, weighed, GW_ROWS_FIRST, GW_POOL_SUM, all), mean);
}

gw_tensor gw_head_pool(gw_builder *b, gw_tensor hidden) {
    const gw_tensor row = gw_head_sequence_rows(b, hidden);
    if (b->of.transforms == GW_TRANSFORMS_ALL) return gw_head_transform(b, row);
    const gw_tensor dense = gw_plan_linear(b->plan, row, gw_declare_pooler(b), row.width);
    const gw_activation named = b->config->head_activation;
    return gw_plan_activation(b->plan, dense, named == GW_ACTIVATION_NONE ? GW_ACTIVATION_TANH : named);
}
