// SPDX-License-Identifier: MIT
// Graphs of tokens drawn from a stochastic block model (Cho et al., Transformers meet Stochastic Block Models, 2022):
// query i reads key j with the probability
//   p_ij = y_i B z_j + exploration,
// y and z their memberships in K clusters, each 0 to 1, and B [K][K] of sum 1. U = Y B is given too.
//
//   exact      P(edge) = p_ij, in time of the edges. Candidates of row i come at the rate c p_ij, c = -ln(1 - P) / P
//   with
//              P the row's bound on p; each stays with the probability -ln(1 - p_ij) / (c p_ij), and what recurs is one
//              edge: 1 - exp(ln(1 - p_ij)) = p_ij. p is at most 1 - 1e-6. A row that would have as many candidates as
//              a share of its keys (`each`) is drawn key by key, which is faster then
//   fastrg     Algorithm 1 as printed: a Poisson number of edges in all, of each first its clusters (u, v) by
//              Y's column sums, B and Z's, then the query by column u of Y and the key by column v of Z. What recurs is
//              one edge, so that P(edge) = 1 - exp(-p_ij), which is at most 0.632
//   bernoulli  every pair by itself, in time of the pairs
// Exploration is one more cluster in which all are with membership 1, of block value `exploration`.
//
// Draws are counted by queries (exact, bernoulli) or sequences (fastrg): a graph depends on neither threads nor
// batches.
#ifndef GW_GRAPH_SBM_H
#define GW_GRAPH_SBM_H

#include "base/random.h"
#include "base/status.h"
#include "kernels/backend.h"
#include "kernels/graph.h"

#include <stdint.h>

// Draws that sampled graphs are made of: one of many with given weights, and a count with a given mean.

// An alias table (Walker, 1977, as made by Vose, 1991): item i in constant time with probability weight[i] / their sum.
// Thresholds have 32 bits. The memory is the caller's.
typedef struct {
    int64_t count;
    double total;   // sum of the weights; 0: nothing can be drawn
    uint32_t *keep; // [count]
    int32_t *other; // [count]
} gw_alias;

// Of weights that stand `stride` apart, none negative; share [count] and stack [count] are worked in.
void gw_alias_make(gw_alias *table, const float *weight, int64_t stride, double *share, int32_t *stack);
int64_t gw_alias_draw(const gw_alias *table, gw_random *random);

// Uniform in (0, 1) with 53 bits.
double gw_random_open(gw_random *random);
// A Poisson number of that mean: below 10 by products of uniform numbers, from there on by transformed rejection
// (Hoermann, 1993, algorithm PTRS).
int64_t gw_random_poisson(gw_random *random, double mean);

// Where a candidate takes as long as 64 keys drawn one by one.
static const double GW_SBM_EACH = 1.0 / 64;

typedef enum { GW_SBM_EXACT, GW_SBM_FASTRG, GW_SBM_BERNOULLI } gw_sbm_mode;

typedef struct {
    const gw_backend *kernels; // that share the host's memory
    gw_sbm_mode draws;
    double each; // usually GW_SBM_EACH
    int64_t queries, keys;
    int clusters;
    const float *query, *product, *key; // Y, U [queries] and Z [keys] of `clusters` values
    int64_t stride;                     // floats between rows of each
    const float *block;                 // B
    double exploration;
    bool as_bits;        // the graph is made of bits, not of lists
    int64_t fixed;       // keys at most so many tokens from the query are always read; -1: none
    uint64_t seed;       // gw_sbm_seed()
    int64_t first_query; // number of the first query, by which draws are counted
} gw_sbm;

// The seed of the draws of one layer and head in one step.
uint64_t gw_sbm_seed(uint64_t seed, uint32_t step, int layer, int head);

// Memory of a graph, and scratch memory for drawing; both grow as needed. Zero-initialise.
typedef struct {
    int64_t *row_start;
    int32_t *column;
    uint64_t *bits;
    int64_t rows, columns, words; // capacities
} gw_sbm_memory;
typedef struct {
    int32_t query, key;
} gw_sbm_pair;
typedef struct {
    gw_sbm_pair *pair;  // [pairs] of fastrg, as often as drawn, in no order
    int64_t candidates; // of exact: those that stayed, as often as drawn
    int64_t pairs, pair_capacity;
    char *table;     // tables of columns
    uint32_t *cell;  // their cells
    int32_t *listed; // queries drawn key by key; keys by their queries
    uint64_t *bits;  // of queries
    float *scratch;
    int64_t table_capacity, cell_capacity, listed_capacity, bits_capacity, scratch_capacity;
} gw_sbm_work;
void gw_sbm_memory_free(gw_sbm_memory *memory);
void gw_sbm_work_free(gw_sbm_work *work);

// The pairs that fastrg draws, into work->pair.
gw_status gw_sbm_draw_pairs(const gw_sbm *sbm, gw_sbm_work *work) GW_MUST_CHECK;
// Edges that a graph has in the mean, about: drawn ones by sums of memberships, in time of the tokens, and those that
// are fixed.
double gw_sbm_expected_edges(const gw_sbm *sbm);
// The graph, whose arrays are in `memory`.
gw_status gw_sbm_draw(const gw_sbm *sbm, gw_sbm_work *work, gw_sbm_memory *memory, gw_token_graph *graph) GW_MUST_CHECK;
// Adds the lists of a graph of bits, in the same memory.
gw_status gw_sbm_list(gw_sbm_memory *memory, gw_token_graph *graph) GW_MUST_CHECK;

// Token graphs as block graphs, bit by bit: graphs with a large share of all pairs are faster in blocks.

// A block graph in memory that grows as it is needed; zeros at first. By rows alone, as the forward pass reads it.
typedef struct {
    gw_graph graph;
    int64_t *row_start, *bits_index;
    int32_t *column;
    uint8_t *kind;
    uint64_t *bits;
    int64_t rows, indices, columns, kinds, words; // capacities
} gw_token_blocks;

// The same edges, which are bits of `tokens`, in blocks of GW_TOKEN_BLOCK tokens: bits, or whole blocks where none is
// missing. blocks->graph is set.
enum { GW_TOKEN_BLOCK = 64 }; // a word is a query's row of a block
gw_status gw_token_blocks_make(gw_token_blocks *blocks, const gw_token_graph *tokens) GW_MUST_CHECK;
void gw_token_blocks_free(gw_token_blocks *blocks);

#endif
