// SPDX-License-Identifier: MIT
// The two random graphs that BigBird is compared with (section 2), undirected, one token a block, without loops.
#ifndef GW_GRAPH_RANDOM_GRAPHS_H
#define GW_GRAPH_RANDOM_GRAPHS_H

#include "base/status.h"
#include "kernels/graph.h"

#include <stdint.h>

// Erdos and Renyi: each of the n (n - 1) / 2 pairs is linked with probability degree / (n - 1), on its own.
gw_status gw_erdos_renyi(int64_t n, double degree, uint64_t seed, gw_graph **out) GW_MUST_CHECK;

// Watts and Strogatz: a ring in which each node is linked to the degree / 2 nearest on either side; then, for every
// node and each of its links to the right, nearest first for all nodes, the far end moves with probability `rewired` to
// a node drawn from all that the near end is not linked to. degree is even and below n.
gw_status gw_watts_strogatz(int64_t n, int degree, double rewired, uint64_t seed, gw_graph **out) GW_MUST_CHECK;

#endif
