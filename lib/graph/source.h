// SPDX-License-Identifier: MIT
// Where the attention graphs of a model's layers come from: a spec, a checkpoint's layout, the structure of an input,
// or the data itself.
//
// A source makes a graph where a step of the plan asks for one, in the forward pass and again in the backward pass.
// A graph is a function of the request alone: draws depend on (seed, step, layer, row), like those of dropout,
// and from queries and keys, which the plan keeps for the backward pass. So a source may forget a graph whenever it was
// released, and how much it keeps is a question of memory only.
#ifndef GW_GRAPH_SOURCE_H
#define GW_GRAPH_SOURCE_H

#include "graph/pattern.h"

typedef struct {
    gw_graph_shape shape;
    int layer;
    // For sources that draw: what to draw by, and the sequence's queries and keys as attention takes them, heads side
    // by side, in the backend's memory; NULL where the caller has none.
    uint64_t seed;
    uint32_t step;
    int64_t first_query; // row of the first query in the whole step, however that is split into batches
    const float *query, *key;
    int64_t query_stride, key_stride;
} gw_graph_request;

typedef struct gw_graph_source gw_graph_source;
struct gw_graph_source {
    // graphs[h * *graph_step] is the graph of head h; valid until release(). graph_step 0: one for all heads. Graphs
    // may reach past the ends of the sequence: the kernels leave that out.
    gw_status (*get)(gw_graph_source *source, const gw_graph_request *request, const gw_graph *const **graphs,
                     int *graph_step);
    void (*release)(gw_graph_source *source); // nobody uses graphs that were got before
    void (*free)(gw_graph_source *source);
    int block;                 // tokens of a block
    int64_t bytes;             // of all graphs that it keeps
    int64_t budget;            // release() leaves no more than that; its maker sets a usual one
    const gw_backend *kernels; // whose ops read the graphs' arrays (gw_graph_to_device()); NULL: the host reads them
};

static inline gw_status gw_graph_get(gw_graph_source *source, const gw_graph_request *request,
                                     const gw_graph *const **graphs, int *graph_step) {
    return source->get(source, request, graphs, graph_step);
}

static inline void gw_graph_source_free(gw_graph_source *source) {
    if (source) source->free(source);
}

// Graphs of a spec, or of a checkpoint's layout in its place unless the spec is full, with those tokens global that a
// request names. One is made for each distinct shape, layer and head, and kept; short inputs share a full one. Not
// thread-safe. layout: NULL, or borrowed, of the model's layers and heads and the pattern's block size.
gw_status gw_pattern_source_new(const gw_pattern *pattern, const gw_layout *layout, int layers, int heads,
                                int64_t max_positions, gw_graph_source **out) GW_MUST_CHECK;

#endif
