// SPDX-License-Identifier: MIT
// Functions that steps of attention over token graphs share, for graphs of any origin.
#ifndef GW_NN_TOKEN_ATTENTION_H
#define GW_NN_TOKEN_ATTENTION_H

#include "nn/plan.h"

// The arguments of a step with inputs query, key, value: these tensors, the output, all gradients, and the logarithm of
// each row's sum, which is kept. The caller sets sequences, graphs and scale. No edge is fixed.
gw_token_attention_args gw_token_attention_of(const gw_run *run, const gw_step *step, int heads);

// The graphs of a layer, one for each head of each sequence, and the sequences in the form that attention reads.
typedef struct {
    int64_t capacity;        // of graphs
    gw_token_graph *graph;   // on the host
    gw_token_graph *reached; // the same with lists that kernels can reach; equals `graph` if kernels reach host memory
    gw_token_sequence *sequence;
    const gw_backend *kernels;
    char *lists; // lists of all graphs, end to end; `device`: the same on the device
    void *device;
    int64_t lists_capacity, device_bytes;
} gw_layer_graphs;
gw_status gw_layer_graphs_make(gw_layer_graphs *layer, const gw_backend *kernels, int64_t sequences,
                               int heads) GW_MUST_CHECK;
// Copies the lists of the first `graphs` graphs to memory that kernels reach.
gw_status gw_layer_graphs_send(gw_layer_graphs *layer, int64_t graphs) GW_MUST_CHECK;
void gw_layer_graphs_free(gw_layer_graphs *layer);

// Numbers of the device for the host: the original memory, or a copy in memory that grows. Zero-initialise.
typedef struct {
    const float *number;
    float *copy;
    int64_t capacity;
} gw_host_numbers;
gw_status gw_host_numbers_get(gw_host_numbers *numbers, const gw_backend *kernels, const float *device,
                              int64_t count) GW_MUST_CHECK;
void gw_host_numbers_free(gw_host_numbers *numbers);

// Makes graph g on a thread.
typedef gw_status gw_graph_maker(void *context, int64_t g, int thread);
// Makes `graphs` graphs on several threads. A failure is out of memory for a graph drawn this way: "sampled", "hashed".
gw_status gw_graphs_make(int64_t graphs, gw_graph_maker *make, void *context, const char *drawn) GW_MUST_CHECK;

#endif
