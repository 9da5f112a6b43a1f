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
    int64_t capacity;        // of graphs
    gw_token_graph *graph;   // on the host
    gw_token_graph *reached; // the same whose lists kernels reach; `graph` where these reach the host's memory
    gw_token_sequence *sequence;
    const gw_backend *kernels;
    char *lists; // of all graphs, one behind the other, and on the device
    void *device;
    int64_t lists_capacity, device_bytes;
} gw_layer_graphs;
gw_status gw_layer_graphs_make(gw_layer_graphs *layer, const gw_backend *kernels, int64_t sequences,
                               int heads) GW_MUST_CHECK;
// Copies the lists of the first so many graphs to where kernels reach them.
gw_status gw_layer_graphs_send(gw_layer_graphs *layer, int64_t graphs) GW_MUST_CHECK;
void gw_layer_graphs_free(gw_layer_graphs *layer);

// Numbers of the device as the host reads them: where they lie, or a copy in memory that grows. Zeros at first.
typedef struct {
    const float *number;
    float *copy;
    int64_t capacity;
} gw_host_numbers;
gw_status gw_host_numbers_get(gw_host_numbers *numbers, const gw_backend *kernels, const float *device,
                              int64_t count) GW_MUST_CHECK;
void gw_host_numbers_free(gw_host_numbers *numbers);

// Graph g, made by a thread.
typedef gw_status gw_graph_maker(void *context, int64_t g, int thread);
// Makes so many, threads at once. A failure is one of memory for a graph that is drawn so ("sampled", "hashed").
gw_status gw_graphs_make(int64_t graphs, gw_graph_maker *make, void *context, const char *drawn) GW_MUST_CHECK;

#endif
