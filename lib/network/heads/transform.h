// SPDX-License-Identifier: MIT
// The layer before a head's logits: LN(act(W h + b)), of masked tokens in most families, of every head in some.
#ifndef GW_NETWORK_HEADS_TRANSFORM_H
#define GW_NETWORK_HEADS_TRANSFORM_H

#include "network/network_private.h"

// What it makes of rows [rows][width].
gw_tensor gw_head_transform(gw_builder *b, gw_tensor x);

#endif
