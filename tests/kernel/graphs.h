// SPDX-License-Identifier: MIT
// Hand-made block graphs for the attention tests, and their meaning for single tokens.
#ifndef GW_TESTS_KERNEL_GRAPHS_H
#define GW_TESTS_KERNEL_GRAPHS_H

#include "kernels/graph.h"

#include <stdbool.h>

// The edges of a test graph, and their kinds.
typedef enum {
    TEST_FULL,         // every edge
    TEST_SPARSE,       // window of 3, first and last block as rows and columns, some random edges
    TEST_MULTIPLICITY, // the same, with the first block listed three times
    TEST_CAUSAL,       // edges below the diagonal FULL, those on it DIAG
    TEST_BAND,         // BAND of block + 1 in the edges next to the diagonal and on it
    TEST_BITS,         // SPARSE with random bits; row 1 is of bits alone, and its query 3 reads no key
    TEST_EMPTY_ROW,    // SPARSE without any edge in row 1
    TEST_GRAPHS
} test_graph_kind;

// Freed by test_release().
gw_graph *test_graph(test_graph_kind kind, int block, int query_blocks, int key_blocks);
// Whether query token i reads key token j through edge e.
bool test_graph_reads(const gw_graph *graph, int64_t edge, int64_t query, int64_t key);

#endif
