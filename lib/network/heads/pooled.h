// SPDX-License-Identifier: MIT
// What heads of sequences share: the row h that stands for each: its first token's, the mean of all, their mean by a
// learned query (attention), or the mean and a sum that weighs each value by its place: mean_i h_i + sum_i A_i h_i, as
// a dense layer over a whole window does.
#ifndef GW_NETWORK_HEADS_POOLED_H
#define GW_NETWORK_HEADS_POOLED_H

#include "network/network_private.h"

// [sequences][width] h, as the config's pooling says.
gw_tensor gw_head_sequence_rows(gw_builder *b, gw_tensor hidden);
// [sequences][width] = tanh(W h + b), or what the family's layer before all logits makes of h (below).
gw_tensor gw_head_pool(gw_builder *b, gw_tensor hidden);

// The layer before a head's logits: LN(act(W h + b)), of masked tokens in most families, of every head in some.

// What it makes of rows [rows][width].
gw_tensor gw_head_transform(gw_builder *b, gw_tensor x);

#endif
