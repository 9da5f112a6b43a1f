// SPDX-License-Identifier: MIT
// What heads of sequences share: the row h that stands for each: its first token's, the mean of all, their mean by a
// learned query (attention), or the mean and a sum that weighs each value by its place: mean_i h_i + sum_i A_i h_i, as
// a dense layer over a whole window does.
#ifndef GW_NETWORK_HEADS_POOLED_H
#define GW_NETWORK_HEADS_POOLED_H

#include "network/network_private.h"

// [sequences][width] h, as the config's pooling says.
gw_tensor gw_network_sequence_rows(gw_plan *plan, const gw_network *network);
// [sequences][width] = tanh(W h + b), or what the family's layer before all logits makes of h (heads/transform.h).
gw_tensor gw_network_pool(gw_plan *plan, const gw_network *network);
// [sequences][width] = W dropout(pooled) + b of the role's tensors.
gw_tensor gw_network_pooled_logits(gw_plan *plan, const gw_network *network, gw_role role, double dropout,
                                   int64_t width);

#endif
