// SPDX-License-Identifier: MIT
// Block lists, the form between a pattern and its graph: what each row reads, with repeats, in any order.
#ifndef GW_GRAPH_LISTS_H
#define GW_GRAPH_LISTS_H

#include "base/status.h"
#include "kernels/graph.h"

#include <stdint.h>

// Zero-initialise, set `blocks`, then append the rows in order.
typedef struct {
    int64_t blocks;     // rows, and columns
    int64_t rows;       // finished so far
    int64_t *row_start; // [rows + 1]
    int64_t row_capacity;
    int32_t *block; // [row_start[rows]]
    int64_t capacity;
} gw_block_lists;

// Appends one row of `count` blocks, each in [0, blocks).
gw_status gw_block_lists_add(gw_block_lists *lists, const int32_t *row, int64_t count) GW_MUST_CHECK;
void gw_block_lists_free(gw_block_lists *lists);

// The graph of the lists for blocks of `block` tokens: a block listed m times becomes one edge with ln m.
// Free with gw_graph_free().
gw_status gw_graph_build(int block, const gw_block_lists *lists, gw_graph **out) GW_MUST_CHECK;

#endif
