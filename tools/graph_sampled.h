// SPDX-License-Identifier: MIT
// The graph that a model which samples its own draws of a region (docs/sbm.md).
#ifndef GW_TOOLS_GRAPH_SAMPLED_H
#define GW_TOOLS_GRAPH_SAMPLED_H

#include "graph/pattern.h"

typedef struct {
    const char *model, *fasta, *region; // folder, genome and chr:beg-end
    int layer, head;                    // from 0
} gw_graph_sampled_options;

// Runs the model on the region as one window, and hands over the graph of that layer and head as one of blocks of a
// token, whose arrays last as long as the call.
gw_status gw_graph_sampled(const gw_graph_sampled_options *options,
                           gw_status (*use)(void *context, const gw_pattern *pattern, const gw_graph *graph),
                           void *context) GW_MUST_CHECK;

#endif
