// SPDX-License-Identifier: MIT
// What the blocks of encoders and decoders are made of.
#ifndef GW_NN_BLOCK_H
#define GW_NN_BLOCK_H

#include "nn/encoder.h"

// Embeddings of the architecture's stream with their norm, where it has weights, and dropout in the architecture's
// order.
gw_tensor gw_plan_embed(gw_plan *plan, const gw_architecture *a, gw_embedding embedding, gw_norm norm, int64_t width,
                        uint32_t site);
// Layer norm where the architecture has one at that place of a sublayer, else x.
gw_tensor gw_plan_norm_at(gw_plan *plan, const gw_architecture *a, gw_norm_position place, gw_tensor x, gw_norm norm);
// Of a sublayer's input x and output y: x + dropout(y); `site` is the sublayer's number within its layer.
gw_tensor gw_plan_join(gw_plan *plan, const gw_architecture *a, gw_tensor x, gw_tensor y, int layer, int site);
// W_2 act(W_1 x)
gw_tensor gw_plan_feed_forward(gw_plan *plan, const gw_architecture *a, gw_linear feed_forward, gw_linear output,
                               gw_tensor x);

#endif
