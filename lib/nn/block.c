// SPDX-License-Identifier: MIT
// Parts of blocks, put together from layers.
#include "nn/block.h"

// Tokens by the one norm and other rows by the second.
static gw_tensor norm_apart(gw_plan *plan, const gw_architecture *a, const gw_norm norm[2], gw_tensor x) {
    gw_tensor part[2];
    for (int i = 0; i < 2; i++)
        part[i] = gw_plan_norm(plan, gw_plan_gather(plan, x, i == 0 ? a->tokens : a->others), norm[i], a->epsilon);
    return gw_plan_merge(plan, part, x.rows);
}

gw_tensor gw_plan_embed(gw_plan *plan, const gw_architecture *a, gw_embedding embedding, const gw_norm norm[2],
                        int64_t width, uint32_t site) {
    const gw_dropout dropout = {a->dropout, site};
    gw_tensor x = gw_plan_embedding(plan, embedding, width, a->stream);
    if (a->order == GW_DROPOUT_THEN_NORM) x = gw_plan_dropout(plan, x, dropout);
    if (norm[1].weight.value) x = norm_apart(plan, a, norm, x);
    else if (norm[0].weight.value) x = gw_plan_norm(plan, x, norm[0], a->epsilon);
    return a->order == GW_NORM_THEN_DROPOUT ? gw_plan_dropout(plan, x, dropout) : x;
}

gw_tensor gw_plan_norm_at(gw_plan *plan, const gw_architecture *a, gw_norm_position place, gw_tensor x, gw_norm norm) {
    return a->norm == place && norm.weight.value ? gw_plan_norm(plan, x, norm, a->epsilon) : x;
}

gw_tensor gw_plan_join(gw_plan *plan, const gw_architecture *a, gw_tensor x, gw_tensor y, int layer, int site) {
    const gw_dropout dropout = {a->dropout, (uint32_t)(GW_DROPOUT_SITES * (a->first_layer + layer + 1) + site)};
    return gw_plan_sum(plan, gw_plan_dropout(plan, y, dropout), x);
}

gw_tensor gw_plan_feed_forward(gw_plan *plan, const gw_architecture *a, gw_linear feed_forward, gw_linear gate,
                               gw_linear output, gw_tensor x) {
    gw_tensor wide = gw_plan_activation(plan, gw_plan_linear(plan, x, feed_forward, a->feed_forward), a->activation);
    if (gate.weight.value) wide = gw_plan_gate(plan, wide, gw_plan_linear(plan, x, gate, a->feed_forward));
    return gw_plan_linear(plan, wide, output, a->width);
}
