// SPDX-License-Identifier: MIT
// A block graph in the form that attention kernels read: query block r reads key block c.
//
// Compressed rows with sorted, distinct columns, and the same edges by column for dK and dV. The numbers of queries and
// keys may differ: two sequences, or the last queries of a sequence with all keys kept (`offset`). Lengths belong to
// the sequence, not to the graph: the last block of a sequence may be partly filled, and blocks behind its end are
// ignored. lib/graph builds and owns graphs.
#ifndef GW_KERNELS_GRAPH_H
#define GW_KERNELS_GRAPH_H

#include <stdint.h>

typedef enum {
    GW_EDGE_FULL = 0,   // every query of the block reads every key of the block
    GW_EDGE_CAUSAL = 1, // causal: keys at or before the query
    GW_EDGE_BAND = 2,   // keys at most `before` tokens before and `after` tokens behind the query
    GW_EDGE_BITS = 3,   // bit ((within + i) * block + j) of the edge's bits: query i of the block reads key j
} gw_edge_kind;

typedef struct {
    int32_t block; // tokens in a block
    int32_t query_blocks, key_blocks;
    int64_t offset;        // position of query 0 among the keys: query i is at key offset + i
    int64_t before, after; // GW_EDGE_BAND
    int32_t within;        // GW_EDGE_BITS: position of query 0 in the query block of these bits, usually 0
    int64_t edges;
    const int64_t *row_start;      // [query_blocks + 1] first edge of each row
    const int32_t *column;         // [edges] key block
    const uint8_t *kind;           // [edges] gw_edge_kind; NULL: all FULL
    const float *log_multiplicity; // [edges] ln m of a block listed m times, added to its scores; NULL: all 0
    const uint64_t *bits;          // GW_EDGE_BITS: gw_graph_words(block) each
    const int64_t *bits_index;     // [edges] index of the edge's words in `bits`, in edges; edges may share words
    const int64_t *column_start;   // [key_blocks + 1]
    const int32_t *row;            // [edges] query block, sorted within a column
    const int64_t *edge;           // [edges] the edge's index in row order
} gw_graph;

// A graph of single tokens: the keys that each query reads, ascending and distinct, or as bits, which are smaller for
// many keys. A graph has either or both.
typedef struct {
    int64_t queries, keys;
    const int64_t *row_start; // [queries + 1] first edge of each query
    const int32_t *column;    // [row_start[queries]] keys
    const uint64_t *bits;     // [queries][gw_bit_words(keys)] bit j of a query: it reads key j; 0 past the keys
} gw_token_graph;

// The graph for a single query, at position `query`: part of a graph for the forward pass.
static inline gw_graph gw_graph_of_query(const gw_graph *graph, int64_t query) {
    gw_graph one = *graph;
    one.query_blocks = 1;
    one.row_start = graph->row_start + query / graph->block;
    one.offset = graph->offset + query;
    one.within = (int32_t)(query % graph->block);
    return one;
}

// Words for a bit for each of `keys` keys.
static inline int64_t gw_bit_words(int64_t keys) {
    return (keys + 63) / 64;
}

// Words for the bits of an edge.
static inline int64_t gw_graph_words(int64_t block) {
    return gw_bit_words(block * block);
}

#endif
