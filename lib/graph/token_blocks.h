// SPDX-License-Identifier: MIT
// Token graphs as block graphs, bit by bit: what reads a large share of all pairs is faster in blocks.
#ifndef GW_GRAPH_TOKEN_BLOCKS_H
#define GW_GRAPH_TOKEN_BLOCKS_H

#include "base/status.h"
#include "kernels/graph.h"

#include <stdint.h>

// A block graph in memory that grows as it is needed; zeros at first. By rows alone, as the forward pass reads it.
typedef struct {
    gw_graph graph;
    int64_t *row_start, *bits_index;
    int32_t *column;
    uint8_t *kind;
    uint64_t *bits;
    int64_t rows, indices, columns, kinds, words; // capacities
} gw_token_blocks;

// The same edges, which are bits of `tokens`, in blocks of GW_TOKEN_BLOCK tokens: bits, or whole blocks where none is
// missing. blocks->graph is set.
enum { GW_TOKEN_BLOCK = 64 }; // a word is a query's row of a block
gw_status gw_token_blocks_make(gw_token_blocks *blocks, const gw_token_graph *tokens) GW_MUST_CHECK;
void gw_token_blocks_free(gw_token_blocks *blocks);

#endif
