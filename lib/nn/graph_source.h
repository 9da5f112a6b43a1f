// SPDX-License-Identifier: MIT
// Where the block graphs of an attention come from.
#ifndef GW_NN_GRAPH_SOURCE_H
#define GW_NN_GRAPH_SOURCE_H

#include "base/batch.h"
#include "graph/pattern.h"
#include "kernels/kernel.h"

typedef struct {
    // Sets graphs and graph_step of every sequence of the batch: of its rows of `queries` to its rows of `keys`. They
    // stay valid until the next call.
    gw_status (*fill)(void *context, int layer, const gw_rows *queries, const gw_rows *keys,
                      gw_attention_sequence *sequences);
    void *context; // outlives the plan
    int layer;
    int block; // most tokens of a block
} gw_graph_source;

// The graphs of a cache, whose layers have blocks of so many tokens.
gw_graph_source gw_cached_graphs(gw_graph_cache *cache, int layer, int block);

#endif
