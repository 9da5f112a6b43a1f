// SPDX-License-Identifier: MIT
// Block lists, the form between a pattern and its graph: the blocks that each row reads, possibly repeated, in any
// order. The builder decides the kind of cell for each listed block.
#ifndef GW_GRAPH_BUILD_H
#define GW_GRAPH_BUILD_H

#include "base/status.h"
#include "kernels/graph.h"

#include <stdbool.h>
#include <stdint.h>

// The keys that a row reads in a block: all, those within the band, or (from 0 on) those set in the bits of this index.
enum { GW_READS_ALL = -1, GW_READS_BAND = -2 };

typedef struct {
    int32_t block, reads;
} gw_listed_block;

// Zero-initialise, set the first five members, then list the rows in order.
typedef struct {
    int block;               // tokens
    int64_t blocks;          // of keys
    int64_t offset;          // position of the first query among the keys, in tokens
    int64_t band;            // for GW_READS_BAND: |query - key| <= band tokens
    bool causal;             // keys after the query are removed from all cells
    int64_t rows;            // finished rows: the graph's query blocks
    int64_t *row_end;        // [rows] end of each row in `listed`
    gw_listed_block *listed; // [count]
    uint64_t *bits;          // [bit_cells][(block * block + 63) / 64]
    int64_t row_capacity, count, capacity, bit_cells, bit_capacity;
} gw_block_lists;

// put: appends a block, in [0, blocks), to the current row. end_row: ends this row.
gw_status gw_block_lists_put(gw_block_lists *lists, int64_t block, int64_t reads) GW_MUST_CHECK;
gw_status gw_block_lists_end_row(gw_block_lists *lists) GW_MUST_CHECK;
// Appends a whole row of `count` blocks that are read whole.
gw_status gw_block_lists_add(gw_block_lists *lists, const int32_t *row, int64_t count) GW_MUST_CHECK;
// Makes a bit matrix of zeros. Any number of listed blocks may share it.
gw_status gw_block_lists_bits(gw_block_lists *lists, int64_t *index) GW_MUST_CHECK;
// Lets query i of a query block read key j of the key block.
void gw_block_lists_set(gw_block_lists *lists, int64_t index, int64_t i, int64_t j);
void gw_block_lists_free(gw_block_lists *lists);

// Makes the graph of the lists and sorts their rows. A block that is listed whole m times becomes one edge with ln m.
// In other blocks, a key is read if at least one listing allows it. Cells without any read key are removed.
// Free with gw_graph_free().
gw_status gw_graph_build(gw_block_lists *lists, gw_graph **out) GW_MUST_CHECK;

#endif
