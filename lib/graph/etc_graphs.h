// SPDX-License-Identifier: MIT
// Graphs of sequences with global tokens, each kept for the next sequence of its structure.
#ifndef GW_GRAPH_ETC_GRAPHS_H
#define GW_GRAPH_ETC_GRAPHS_H

#include "graph/etc.h"
#include "kernels/backend.h"

// Zero-initialise, set the rules. Free with gw_etc_graphs_free().
typedef struct {
    gw_etc_rules rules;
    const gw_backend *kernels; // whose ops read the graphs' arrays; NULL: the host reads them
    void *kept;                // a tree of search.h
    int64_t bytes;
} gw_etc_graphs;

// The graph of the structure, which is copied; *out lasts until gw_etc_graphs_forget().
gw_status gw_etc_graphs_get(gw_etc_graphs *graphs, const gw_etc_structure *structure,
                            gw_graph *const **out) GW_MUST_CHECK;
// Forgets all where they are more than so many bytes.
void gw_etc_graphs_forget(gw_etc_graphs *graphs, int64_t bytes);
void gw_etc_graphs_free(gw_etc_graphs *graphs);

#endif
