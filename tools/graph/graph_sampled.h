// SPDX-License-Identifier: MIT
// The graph that a model which samples its own draws of a region (docs/sbm.md).
#ifndef GW_TOOLS_GRAPH_GRAPH_SAMPLED_H
#define GW_TOOLS_GRAPH_GRAPH_SAMPLED_H

#include "graph/pattern.h"
#include "model/mixer.h"

typedef struct {
    const char *model, *fasta, *region; // folder, genome and chr:beg-end
    int layer, head;                    // from 0
} gw_graph_sampled_options;

// What is drawn of a layer and head: the model's pattern, what of it stands in any graph, its graph as one of blocks of
// a token, and memberships.
typedef struct {
    const char *spec;
    gw_pattern pattern;
    gw_graph graph;
    const gw_memberships *memberships;
} gw_graph_of_model;

// Runs the model on the region as one window, and hands over what it drew, which lasts as long as the call.
gw_status gw_graph_sampled(const gw_graph_sampled_options *options,
                           gw_status (*use)(void *context, const gw_graph_of_model *drawn),
                           void *context) GW_MUST_CHECK;

#endif
