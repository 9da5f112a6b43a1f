// SPDX-License-Identifier: MIT
// Token graphs drawn from a stochastic block model (Cho et al., Transformers meet Stochastic Block Models, 2022). Query
// i reads key j with the probability
//   p_ij = y_i B z_j + exploration,
// where y and z are memberships in K clusters, each 0 to 1, and B [K][K] has the sum 1. U = Y B is an input too.
//
//   exact      P(edge) = p_ij, in time proportional to the edges. Candidates of row i come at the rate c p_ij, with
//              c = -ln(1 - P) / P and P the row's bound on p. Each stays with probability -ln(1 - p_ij) / (c p_ij).
//              Repeated candidates are one edge: 1 - exp(ln(1 - p_ij)) = p_ij. p is at most 1 - 1e-6. A row with more
//              candidates than a share of its keys (`each`) is drawn key by key, which is then faster
//   fastrg     Algorithm 1 as printed: a Poisson number of edges in total. For each, first its clusters (u, v) by the
//              column sums of Y, B and those of Z, then the query by column u of Y and the key by column v of Z.
//              Repetitions are one edge, so P(edge) = 1 - exp(-p_ij), which is at most 0.632
//   bernoulli  every pair independently, in time proportional to the pairs
// Exploration is one more cluster with membership 1 for all tokens and the block value `exploration`.
//
// Draws are numbered by queries (exact, bernoulli) or sequences (fastrg). A graph therefore depends neither on threads
// nor on batches.
#ifndef GW_GRAPH_SBM_H
#define GW_GRAPH_SBM_H

#include "base/random.h"
#include "base/status.h"
#include "kernels/backend.h"
#include "kernels/graph.h"

#include <stdint.h>

// Draws for sampled graphs: one of many items with given weights, and a count with a given mean.

// An alias table (Walker, 1977, as made by Vose, 1991): draws item i in constant time with probability weight[i] / sum
// of the weights. Thresholds have 32 bits. The caller owns the memory.
typedef struct {
    int64_t count;
    double total;   // sum of the weights; 0: no item can be drawn
    uint32_t *keep; // [count]
    int32_t *other; // [count]
} gw_alias;

// Makes a table of non-negative weights, `stride` floats apart. share [count] and stack [count] are scratch memory.
void gw_alias_make(gw_alias *table, const float *weight, int64_t stride, double *share, int32_t *stack);
int64_t gw_alias_draw(const gw_alias *table, gw_random *random);

// Uniform in (0, 1) with 53 bits.
double gw_random_open(gw_random *random);
// A Poisson number with this mean: below 10 by products of uniform numbers, otherwise by transformed rejection
// (Hoermann, 1993, algorithm PTRS).
int64_t gw_random_poisson(gw_random *random, double mean);

// Share of keys from which drawing key by key is faster: one candidate takes as long as 64 keys.
static const double GW_SBM_EACH = 1.0 / 64;

typedef enum { GW_SBM_EXACT, GW_SBM_FASTRG, GW_SBM_BERNOULLI } gw_sbm_mode;

typedef struct {
    const gw_backend *kernels; // must use host memory
    gw_sbm_mode draws;
    double each; // usually GW_SBM_EACH
    int64_t queries, keys;
    int clusters;
    const float *query, *product, *key; // Y, U [queries] and Z [keys], each of `clusters` values
    int64_t stride;                     // floats between rows of each
    const float *block;                 // B
    double exploration;
    bool as_bits;        // makes the graph as bits instead of lists
    int64_t fixed;       // keys within this distance in tokens are always read; -1: none
    uint64_t seed;       // gw_sbm_seed()
    int64_t first_query; // number of the first query for the draws
} gw_sbm;

// The seed for the draws of one layer and head in one step.
uint64_t gw_sbm_seed(uint64_t seed, uint32_t step, int layer, int head);

// Memory of a graph, and scratch memory for drawing. Both grow as needed. Zero-initialise.
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
    gw_sbm_pair *pair;  // [pairs] fastrg: all draws, unordered
    int64_t candidates; // exact: number of kept draws, repetitions included
    int64_t pairs, pair_capacity;
    char *table;     // tables of columns
    uint32_t *cell;  // their cells
    int32_t *listed; // queries drawn key by key; keys sorted by query
    uint64_t *bits;  // of queries
    float *scratch;
    int64_t table_capacity, cell_capacity, listed_capacity, bits_capacity, scratch_capacity;
} gw_sbm_work;
void gw_sbm_memory_free(gw_sbm_memory *memory);
void gw_sbm_work_free(gw_sbm_work *work);

// Draws the pairs of fastrg into work->pair.
gw_status gw_sbm_draw_pairs(const gw_sbm *sbm, gw_sbm_work *work) GW_MUST_CHECK;
// The approximate expected number of edges, in time proportional to the tokens: drawn edges from sums of memberships,
// and fixed edges.
double gw_sbm_expected_edges(const gw_sbm *sbm);
// Makes the graph. Its arrays are in `memory`.
gw_status gw_sbm_draw(const gw_sbm *sbm, gw_sbm_work *work, gw_sbm_memory *memory, gw_token_graph *graph) GW_MUST_CHECK;
// Adds lists to a graph of bits, in the same memory.
gw_status gw_sbm_list(gw_sbm_memory *memory, gw_token_graph *graph) GW_MUST_CHECK;

// Token graphs as block graphs of bits. Dense graphs are faster in blocks.

// A block graph in memory that grows as needed. Zero-initialise. It has only rows, for the forward pass.
typedef struct {
    gw_graph graph;
    int64_t *row_start, *bits_index;
    int32_t *column;
    uint8_t *kind;
    uint64_t *bits;
    int64_t rows, indices, columns, kinds, words; // capacities
} gw_token_blocks;

// Sets blocks->graph to the same edges as the bits of `tokens`, in blocks of GW_TOKEN_BLOCK tokens: cells of bits, or
// whole blocks if no edge is missing.
enum { GW_TOKEN_BLOCK = 64 }; // one word is the row of a query in a block
gw_status gw_token_blocks_make(gw_token_blocks *blocks, const gw_token_graph *tokens) GW_MUST_CHECK;
void gw_token_blocks_free(gw_token_blocks *blocks);

#endif
