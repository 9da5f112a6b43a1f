// SPDX-License-Identifier: MIT
// What the heads that read the pooler share: the pooled first token h_0 of each sequence.
#ifndef GW_MODEL_HEADS_POOLED_H
#define GW_MODEL_HEADS_POOLED_H

#include "model/network_private.h"

// [sequences][width] = tanh(W h_0 + b).
gw_tensor gw_network_pool(gw_plan *plan, const gw_network *network);
// [sequences][width] = W dropout(pooled) + b of the role's tensors.
gw_tensor gw_network_pooled_logits(gw_plan *plan, const gw_network *network, gw_role role, double dropout,
                                   int64_t width);

#endif
