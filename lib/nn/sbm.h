// SPDX-License-Identifier: MIT
// Attention that samples its own graph (SBM-Transformer, Cho et al., 2022): each head of a layer draws, for every
// sequence, which keys its queries read, with probabilities that it makes of queries and keys and learns.
//
// Of a head with K clusters C and a network MLP(x) = W_2 relu(W_1 x + b_1) + b_2:
//   Y = sigmoid(MLP(q) C^T), Z = sigmoid(MLP(k) C^T), B = softmax over all pairs of C C^T      (equations 5 to 7)
//   P(i reads j) = y_i B z_j, plus the exploration in training                                  (graph/sbm.h)
// Gradients of the probabilities are those of a straight-through estimator (token_attention_backward of kernel.h).
#ifndef GW_NN_SBM_H
#define GW_NN_SBM_H

#include "graph/sbm.h"
#include "nn/layers.h"

typedef struct {
    gw_linear nodes, nodes_last; // W_1, W_2 [heads D][D] and biases, or of one head that all share
    gw_weight clusters;          // C [heads K][D]
} gw_sbm_weights;

// A sequence whose heads' graphs are expected to have this mean density is drawn as bits and read in blocks
// (graph/sbm.h), the same on all machines.
static const double GW_SBM_DENSE = 0.1;

typedef struct {
    int layers, heads, clusters;
    gw_sbm_mode draws;
    bool shared;            // one network for all heads
    int64_t fixed;          // keys so near are read whatever is drawn, in tokens; -1: none
    uint64_t seed;          // of a network that is only run: what it draws depends on layer, head and sequence alone
    double dense;           // usually GW_SBM_DENSE
    gw_precision precision; // of attention's products where graphs are bits; elsewhere, and of probabilities, f32
    double exploration;     // with training, as what is below
    bool mask_gradient;     // the estimator takes dL/dA (gw_token_attention_args), not equation 9
    // The gradient of penalty times the density of the drawn edges and of density_penalty times that of their
    // probabilities, each of one head of one sequence.
    double penalty, density_penalty;
} gw_sbm_options;

// The graphs of all layers, each kept from the forward to the backward pass, which outlive the plan. A layer's graphs
// take 4 bytes an edge, or as bits one for 8 pairs, and 8 a query of each head and sequence, in memory that grows
// to the densest batch.
typedef struct gw_sbm_graphs gw_sbm_graphs;
gw_status gw_sbm_graphs_new(const gw_sbm_options *options, gw_sbm_graphs **out) GW_MUST_CHECK;
void gw_sbm_graphs_free(gw_sbm_graphs *graphs);
// Mean share of the pairs of a sequence that are edges, over the sequences since the restart; NAN: none.
double gw_sbm_graphs_density(const gw_sbm_graphs *graphs, int layer, int head);
// What densities are made of, which batches add to: [layers][heads + 1] their sums by head, then the sequences.
double *gw_sbm_graphs_sums(gw_sbm_graphs *graphs, int64_t *count);
// What the last batch's first sequence drew; lasts until the next batch. Lists may be missing but of a head that is
// watched.
const gw_token_graph *gw_sbm_graphs_graph(const gw_sbm_graphs *graphs, int layer, int head);
void gw_sbm_graphs_restart(gw_sbm_graphs *graphs);

// Memberships of a sequence's queries (Y) and keys (Z) in the clusters of a head.
typedef struct gw_memberships {
    int64_t tokens;
    int clusters;
    float *query, *key; // [tokens][clusters]
} gw_memberships;
// From the next batch on those of its first sequence are kept, of one head.
void gw_sbm_graphs_watch(gw_sbm_graphs *graphs, int layer, int head);
const gw_memberships *gw_sbm_graphs_memberships(const gw_sbm_graphs *graphs); // last until the next batch

// Attention of every sequence of a stream to itself.
gw_tensor gw_plan_sbm_attention(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int layer,
                                const gw_sbm_weights *weights, gw_sbm_graphs *graphs);

#endif
