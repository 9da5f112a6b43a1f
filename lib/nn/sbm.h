// SPDX-License-Identifier: MIT
// Attention that samples its own graph (SBM-Transformer, Cho et al., 2022). For every sequence, each head of a layer
// draws the keys that its queries read. The probabilities are computed from queries and keys, and are learned.
//
// For a head with K clusters C and a network MLP(x) = W_2 relu(W_1 x + b_1) + b_2:
//   Y = sigmoid(MLP(q) C^T), Z = sigmoid(MLP(k) C^T), B = softmax over all pairs of C C^T      (equations 5 to 7)
//   P(i reads j) = y_i B z_j, plus the exploration in training                                  (graph/sbm.h)
// Gradients of the probabilities use a straight-through estimator (token_attention_backward of kernel.h).
#ifndef GW_NN_SBM_H
#define GW_NN_SBM_H

#include "graph/sbm.h"
#include "nn/layers.h"

typedef struct {
    gw_linear nodes, nodes_last; // W_1, W_2 [heads D][D] and biases; if shared, of one head
    gw_weight clusters;          // C [heads K][D]
} gw_sbm_weights;

// If the heads' graphs of a sequence have at least this expected mean density, they are drawn as bits and read in
// blocks (graph/sbm.h). The choice is the same on all machines.
static const double GW_SBM_DENSE = 0.1;

typedef struct {
    int layers, heads, clusters;
    gw_sbm_mode draws;
    bool shared;            // one network for all heads
    int64_t fixed;          // keys within this distance in tokens are always read; -1: none
    uint64_t seed;          // without training; draws depend only on layer, head and sequence
    double dense;           // usually GW_SBM_DENSE
    gw_precision precision; // of attention's products if graphs are bits; other products, and probabilities, are f32
    double exploration;     // with training, as the fields below
    bool mask_gradient;     // the estimator uses dL/dA (gw_token_attention_args) instead of equation 9
    // Adds the gradient of penalty times the density of the drawn edges, and of density_penalty times the density of
    // their probabilities, for each head of each sequence.
    double penalty, density_penalty;
} gw_sbm_options;

// The graphs of all layers, kept from the forward pass to the backward pass. They must outlive the plan. For each head
// and sequence, a layer's graphs take 4 bytes an edge, or as bits one byte for 8 pairs, and 8 bytes a query. The memory
// grows to the densest batch.
typedef struct gw_sbm_graphs gw_sbm_graphs;
gw_status gw_sbm_graphs_new(const gw_sbm_options *options, gw_sbm_graphs **out) GW_MUST_CHECK;
void gw_sbm_graphs_free(gw_sbm_graphs *graphs);
// Mean share of a sequence's pairs that are edges, over the sequences since the restart; NAN: no sequence.
double gw_sbm_graphs_density(const gw_sbm_graphs *graphs, int layer, int head);
// Sums behind the densities, to which batches add: [layers][heads + 1] sums by head, then the number of sequences.
double *gw_sbm_graphs_sums(gw_sbm_graphs *graphs, int64_t *count);
// The graph of the last batch's first sequence; valid until the next batch. Its lists may be missing unless the head is
// watched.
const gw_token_graph *gw_sbm_graphs_graph(const gw_sbm_graphs *graphs, int layer, int head);
void gw_sbm_graphs_restart(gw_sbm_graphs *graphs);

// Memberships of a sequence's queries (Y) and keys (Z) in a head's clusters.
typedef struct gw_memberships {
    int64_t tokens;
    int clusters;
    float *query, *key; // [tokens][clusters]
} gw_memberships;
// Keeps memberships of one head for the first sequence of each later batch.
void gw_sbm_graphs_watch(gw_sbm_graphs *graphs, int layer, int head);
const gw_memberships *gw_sbm_graphs_memberships(const gw_sbm_graphs *graphs); // valid until the next batch

// Attention of every sequence of a stream to itself.
gw_tensor gw_plan_sbm_attention(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int layer,
                                const gw_sbm_weights *weights, gw_sbm_graphs *graphs);

#endif
