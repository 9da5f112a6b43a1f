// SPDX-License-Identifier: MIT
// A block graph as the attention kernels read it: query block r reads key block c.
//
// Compressed rows with sorted, distinct columns, and the same edges by column for dK and dV. Lengths belong to the
// sequence, not to the graph: the last block of a sequence may be partly filled, and blocks past its end are ignored.
// Built and owned by lib/graph.
#ifndef GW_KERNELS_GRAPH_H
#define GW_KERNELS_GRAPH_H

#include <stdint.h>

typedef enum {
    GW_EDGE_FULL = 0,   // every query of the block reads every key of the block
    GW_EDGE_CAUSAL = 1, // causal: key position <= query position (positions count from the sequence's start)
    GW_EDGE_BAND = 2,   // |query position - key position| <= band
    GW_EDGE_BITS = 3,   // bit (i * block + j) of the edge's bits: query i of the block reads key j
} gw_edge_kind;

typedef struct {
    int32_t block; // tokens in a block
    int32_t query_blocks, key_blocks;
    int32_t band; // GW_EDGE_BAND
    int64_t edges;
    const int64_t *row_start;      // [query_blocks + 1] first edge of each row
    const int32_t *column;         // [edges] key block
    const uint8_t *kind;           // [edges] gw_edge_kind; NULL: all FULL
    const float *log_multiplicity; // [edges] ln m of a block listed m times, added to its scores; NULL: all 0
    const uint64_t *bits;          // GW_EDGE_BITS: (block * block + 63) / 64 words each
    const int64_t *bits_index;     // [edges] index of the edge's words in `bits`, in edges; NULL without BITS
    const int64_t *column_start;   // [key_blocks + 1]
    const int32_t *row;            // [edges] query block, sorted within a column
    const int64_t *edge;           // [edges] the edge's index in row order
} gw_graph;

#endif
