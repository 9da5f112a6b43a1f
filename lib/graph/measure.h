// SPDX-License-Identifier: MIT
// What makes a sparse attention graph behave like the full one (BigBird, section 2): few edges, short paths, local
// clusters, a large spectral gap. Nodes are blocks; that a block reads itself counts as an edge, and nowhere else.
#ifndef GW_GRAPH_MEASURE_H
#define GW_GRAPH_MEASURE_H

#include "base/status.h"
#include "kernels/graph.h"

#include <stdint.h>

typedef struct {
    int64_t blocks;
    int64_t edges;  // pairs (query block, key block) that are computed
    double listed;  // the same, each with its multiplicity
    double density; // edges / pairs of blocks: the share of full attention's work
    // Directed paths query -> key, over ordered pairs of different blocks. A path of d edges needs d layers.
    double mean_path;     // over the pairs that a path joins; 0 where there is none
    int64_t longest_path; // among them
    int64_t unreachable;  // pairs that no path joins
    // Undirected, two blocks being linked where either reads the other
    double clustering;   // Watts and Strogatz: mean share of a block's pairs of neighbours that are linked; fewer than
                         // two neighbours count 0
    double spectral_gap; // 1 - second largest eigenvalue of D^-1/2 A D^-1/2; 0 where the graph falls apart
} gw_graph_measures;

// Pairs (query, key) of tokens that are read, of so many of each.
int64_t gw_graph_token_pairs(const gw_graph *graph, int64_t queries, int64_t keys);

// All for a square graph; of others `blocks` is that of queries, and what follows density is 0. Time grows with
// blocks^3 / 64: seconds at 4,096 blocks.
gw_status gw_graph_measure(const gw_graph *graph, gw_graph_measures *out) GW_MUST_CHECK;

// The two random graphs that BigBird is compared with (section 2), undirected, one token a block, without loops.

// Erdos and Renyi: each of the n (n - 1) / 2 pairs is linked with probability degree / (n - 1), on its own.
gw_status gw_erdos_renyi(int64_t n, double degree, uint64_t seed, gw_graph **out) GW_MUST_CHECK;

// Watts and Strogatz: a ring in which each node is linked to the degree / 2 nearest on either side; then, for every
// node and each of its links to the right, nearest first for all nodes, the far end moves with probability `rewired` to
// a node drawn from all that the near end is not linked to. degree is even and below n.
gw_status gw_watts_strogatz(int64_t n, int degree, double rewired, uint64_t seed, gw_graph **out) GW_MUST_CHECK;

#endif
