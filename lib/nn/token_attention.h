// SPDX-License-Identifier: MIT
// What steps of attention over token graphs have in common, whoever makes the graphs.
#ifndef GW_NN_TOKEN_ATTENTION_H
#define GW_NN_TOKEN_ATTENTION_H

#include "nn/plan.h"

// Of a step whose inputs begin with query, key and value: these, its output, their gradients, and ln of each row's sum,
// which is kept. Sequences, graphs and scale are the caller's to set; no edge is fixed.
gw_token_attention_args gw_token_attention_of(const gw_run *run, const gw_step *step, int heads);

// The graphs of a layer, one for each head of each sequence, and the sequences as attention reads them.
typedef struct {
    int64_t capacity; // of graphs
    gw_token_graph *graph;
    gw_token_sequence *sequence;
} gw_layer_graphs;
gw_status gw_layer_graphs_make(gw_layer_graphs *layer, int64_t sequences, int heads) GW_MUST_CHECK;
void gw_layer_graphs_free(gw_layer_graphs *layer);

// Graph g, made by a thread.
typedef gw_status gw_graph_maker(void *context, int64_t g, int thread);
// Makes so many, threads at once. A failure is one of memory for a graph that is drawn so ("sampled", "hashed").
gw_status gw_graphs_make(int64_t graphs, gw_graph_maker *make, void *context, const char *drawn) GW_MUST_CHECK;

#endif
