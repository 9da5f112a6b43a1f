// SPDX-License-Identifier: MIT
// The origin of the attention graphs of a model's layers: a pattern, a checkpoint's layout, the structure of an input,
// or the data itself.
//
// A source makes a graph when a step of the plan requests it, in the forward pass and again in the backward pass. A
// graph is a function of the request: draws depend on (seed, step, layer, row), like those of dropout, and on queries
// and keys, which the plan keeps for the backward pass. A source may therefore drop any released graph. How many it
// keeps only affects memory.
#ifndef GW_GRAPH_SOURCE_H
#define GW_GRAPH_SOURCE_H

#include "graph/pattern.h"

typedef struct {
    gw_graph_shape shape;
    int layer;
    // For sources that draw: keys of the draws, and the sequence's queries and keys as in attention, heads side by
    // side, in the backend's memory; NULL if not available.
    uint64_t seed;
    uint32_t step;
    int64_t first_query; // row of the first query in the whole step, independent of batches
    const float *query, *key;
    int64_t query_stride, key_stride;
} gw_graph_request;

typedef struct gw_graph_source gw_graph_source;
struct gw_graph_source {
    // Sets *graphs: graphs[h * *graph_step] is the graph of head h, valid until release(). graph_step 0: one graph for
    // all heads. Graphs may extend beyond the ends of the sequence; the kernels skip such parts.
    gw_status (*get)(gw_graph_source *source, const gw_graph_request *request, const gw_graph *const **graphs,
                     int *graph_step);
    void (*release)(gw_graph_source *source); // no earlier graph is used any more
    void (*free)(gw_graph_source *source);
    int block;                 // tokens of a block
    int64_t bytes;             // of all kept graphs
    int64_t budget;            // release() keeps at most this; the maker sets a default
    const gw_backend *kernels; // ops of this backend read the graphs' arrays (gw_graph_to_device()); NULL: the host
                               // reads them
};

static inline gw_status gw_graph_get(gw_graph_source *source, const gw_graph_request *request,
                                     const gw_graph *const **graphs, int *graph_step) {
    return source->get(source, request, graphs, graph_step);
}

static inline void gw_graph_source_free(gw_graph_source *source) {
    if (source) source->free(source);
}

// Graphs of a pattern, or, unless the pattern is full, of a checkpoint's layout instead, with the global tokens of the
// request. One graph is made and kept for each distinct shape, layer and head. Short inputs share a full graph. Not
// thread-safe. layout: NULL, or borrowed; it must have the model's layers and heads and the pattern's block size.
gw_status gw_pattern_source_new(const gw_pattern *pattern, const gw_layout *layout, int layers, int heads,
                                int64_t max_positions, gw_graph_source **out) GW_MUST_CHECK;

#endif
