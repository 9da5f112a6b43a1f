// SPDX-License-Identifier: MIT
// Attention over graphs that hashing makes of the vectors that are query and key at once (Reformer, Kitaev et al.,
// 2020): scores are q . k / sqrt(D) with k = q / |q|, and the softmax is over the keys that any round lists.
#ifndef GW_NN_HASHED_ATTENTION_H
#define GW_NN_HASHED_ATTENTION_H

#include "graph/hashed.h"
#include "kernels/mirror.h"
#include "nn/plan.h"

typedef struct {
    int layers, heads;
    int64_t size, chunk, rounds;
    bool causal;
    uint64_t seed; // of a network that is only run; training draws by its own seed and the step
} gw_hashed_options;

// Graphs of all layers, each kept from the forward to the backward pass, which outlive the plan. Their memory grows to
// the densest batch.
typedef struct gw_hashed_graphs gw_hashed_graphs;
gw_status gw_hashed_graphs_new(const gw_hashed_options *options, const gw_backend *kernels,
                               gw_hashed_graphs **out) GW_MUST_CHECK;
void gw_hashed_graphs_free(gw_hashed_graphs *graphs);
// What the last batch's first sequence read; lasts until the next batch.
const gw_token_graph *gw_hashed_graphs_graph(const gw_hashed_graphs *graphs, int layer, int head);

// Of every sequence of a stream to itself; shared and value [rows][heads D].
gw_tensor gw_plan_hashed_attention(gw_plan *plan, gw_tensor shared, gw_tensor value, int layer,
                                   gw_hashed_graphs *graphs);

#endif
