// SPDX-License-Identifier: MIT
// Block lists, the form between a pattern and its graph: the blocks that each row reads, with repeats, in any
// order. The builder alone decides what kind of cell a listed block becomes.
#ifndef GW_GRAPH_BUILD_H
#define GW_GRAPH_BUILD_H

#include "base/status.h"
#include "kernels/graph.h"

#include <stdbool.h>
#include <stdint.h>

// The keys that a row reads of a block: all, those within the band, or (from 0 on) those of the bits of this index.
enum { GW_READS_ALL = -1, GW_READS_BAND = -2 };

typedef struct {
    int32_t block, reads;
} gw_listed_block;

// Zero-initialise, set the first five, then list the rows in order.
typedef struct {
    int block;               // tokens
    int64_t blocks;          // of keys
    int64_t offset;          // position of the first query among the keys, in tokens
    int64_t band;            // |query - key| <= band tokens, of GW_READS_BAND
    bool causal;             // keys after the query are cut from all
    int64_t rows;            // finished so far: the graph's query blocks
    int64_t *row_end;        // [rows] of each row in `listed`
    gw_listed_block *listed; // [count]
    uint64_t *bits;          // [bit_cells][(block * block + 63) / 64]
    int64_t row_capacity, count, capacity, bit_cells, bit_capacity;
} gw_block_lists;

// Lists one more block, in [0, blocks), in the row that is open; ends that row.
gw_status gw_block_lists_put(gw_block_lists *lists, int64_t block, int64_t reads) GW_MUST_CHECK;
gw_status gw_block_lists_end_row(gw_block_lists *lists) GW_MUST_CHECK;
// A whole row of `count` blocks that are read whole.
gw_status gw_block_lists_add(gw_block_lists *lists, const int32_t *row, int64_t count) GW_MUST_CHECK;
// Makes bits, all 0, that any number of listed blocks may share.
gw_status gw_block_lists_bits(gw_block_lists *lists, int64_t *index) GW_MUST_CHECK;
// Lets query i of a query block read key j of the key block.
void gw_block_lists_set(gw_block_lists *lists, int64_t index, int64_t i, int64_t j);
void gw_block_lists_free(gw_block_lists *lists);

// The graph of the lists, whose rows it sorts. A block listed whole m times becomes one edge with ln m; of others a key
// is read where one listing of its block lets it be. Cells of which nothing is read are left out.
// Free with gw_graph_free().
gw_status gw_graph_build(gw_block_lists *lists, gw_graph **out) GW_MUST_CHECK;

#endif
