// SPDX-License-Identifier: MIT
// Properties that make a sparse attention graph behave like the full one (BigBird, section 2): few edges, short paths,
// local clusters, a large spectral gap. Nodes are blocks. A block that reads itself counts as an edge, but not in the
// other measures.
#ifndef GW_GRAPH_MEASURE_H
#define GW_GRAPH_MEASURE_H

#include "base/status.h"
#include "kernels/graph.h"

#include <stdint.h>

typedef struct {
    int64_t blocks;
    int64_t edges;  // computed pairs (query block, key block)
    double listed;  // the same, counted with multiplicity
    double density; // edges / pairs of blocks: the work as a share of full attention
    // Directed paths query -> key, over ordered pairs of different blocks. A path of d edges needs d layers.
    double mean_path;     // over the connected pairs; 0 without any
    int64_t longest_path; // over the connected pairs
    int64_t unreachable;  // pairs without a path
    // Undirected: two blocks are linked if one of them reads the other
    double clustering;   // Watts and Strogatz: the linked share of a block's pairs of neighbours, averaged; 0 with
                         // fewer than two neighbours
    double spectral_gap; // 1 - second largest eigenvalue of D^-1/2 A D^-1/2; 0 if the graph is not connected
} gw_graph_measures;

// The number of pairs (query, key) of tokens that are read, for `queries` queries and `keys` keys.
int64_t gw_graph_token_pairs(const gw_graph *graph, int64_t queries, int64_t keys);

// Computes all measures for a square graph. For other graphs `blocks` is the number of query blocks, and measures
// behind density are 0. Time grows with blocks^3 / 64: seconds for 4,096 blocks.
gw_status gw_graph_measure(const gw_graph *graph, gw_graph_measures *out) GW_MUST_CHECK;

// The two random graphs that BigBird is compared with (section 2): undirected, one token a block, without loops.

// Erdos and Renyi: each of the n (n - 1) / 2 pairs is linked independently with probability degree / (n - 1).
gw_status gw_erdos_renyi(int64_t n, double degree, uint64_t seed, gw_graph **out) GW_MUST_CHECK;

// Watts and Strogatz: a ring in which each node is linked to the degree / 2 nearest nodes on either side. Then, for
// each node and each of its links to the right, nearest first, the far end moves with probability `rewired` to a random
// node that is not yet linked to the near end. degree must be even and below n.
gw_status gw_watts_strogatz(int64_t n, int degree, double rewired, uint64_t seed, gw_graph **out) GW_MUST_CHECK;

#endif
