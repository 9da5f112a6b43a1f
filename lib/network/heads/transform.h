// SPDX-License-Identifier: MIT
// The layer before a head's logits: LN(act(W h + b)), of masked tokens in most families, of every head in some.
#ifndef GW_NETWORK_HEADS_TRANSFORM_H
#define GW_NETWORK_HEADS_TRANSFORM_H

#include "network/network_private.h"

// Its tensors, and what it makes of rows [rows][width].
void gw_list_transform(const gw_config *config, gw_tensor_list *list);
gw_tensor gw_network_transform(gw_plan *plan, const gw_network *network, gw_tensor x);
// The same for heads other than masked tokens': nothing, and x itself, in families where they have no such layer.
void gw_list_head_transform(const gw_config *config, gw_tensor_list *list);
gw_tensor gw_network_head_transform(gw_plan *plan, const gw_network *network, gw_tensor x);

#endif
