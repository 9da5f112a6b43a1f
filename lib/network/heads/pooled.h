// SPDX-License-Identifier: MIT
// Steps that heads of sequences share. The row h of a sequence is its first token's state, the mean of all states,
// their mean weighted by a learned query (attention), or a mean plus a sum with a weight for each position and value:
// mean_i h_i + sum_i A_i h_i, like a dense layer over the whole window.
#ifndef GW_NETWORK_HEADS_POOLED_H
#define GW_NETWORK_HEADS_POOLED_H

#include "network/network_private.h"

// h [sequences][width], with the pooling of the config.
gw_tensor gw_head_sequence_rows(gw_builder *b, gw_tensor hidden);
// [sequences][width] = tanh(W h + b), or the family's layer before all logits applied to h (gw_head_transform()).
gw_tensor gw_head_pool(gw_builder *b, gw_tensor hidden);

// The layer before a head's logits: LN(act(W h + b)). Most families have it for masked tokens only, some for every
// head.

gw_tensor gw_head_transform(gw_builder *b, gw_tensor x);

#endif
