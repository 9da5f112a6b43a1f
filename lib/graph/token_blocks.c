// SPDX-License-Identifier: MIT
// Every pair of blocks has a place for its bits; those with any become edges.
#include "graph/token_blocks.h"

#include "base/memory.h"

#include <stdlib.h>

enum { BLOCK = GW_TOKEN_BLOCK };

void gw_token_blocks_free(gw_token_blocks *blocks) {
    free(blocks->row_start);
    free(blocks->bits_index);
    free(blocks->column);
    free(blocks->kind);
    free(blocks->bits);
}

static gw_status reserve(gw_token_blocks *b, int64_t rows, int64_t columns) {
    GW_TRY(gw_reserve(&b->row_start, &b->rows, rows + 1, sizeof *b->row_start));
    GW_TRY(gw_reserve(&b->bits_index, &b->indices, rows * columns, sizeof *b->bits_index));
    GW_TRY(gw_reserve(&b->column, &b->columns, rows * columns, sizeof *b->column));
    GW_TRY(gw_reserve(&b->kind, &b->kinds, rows * columns, sizeof *b->kind));
    return gw_reserve(&b->bits, &b->words, rows * columns * BLOCK, sizeof *b->bits);
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// The bits of queries [begin, end) for block c of keys; their number.
static int64_t copy_bits(const gw_token_graph *tokens, int64_t begin, int64_t end, int64_t c, uint64_t *bits) {
    const int64_t words = gw_bit_words(tokens->keys);
    int64_t count = 0;
    for (int64_t i = 0; i < BLOCK; i++) {
        bits[i] = begin + i < end ? tokens->bits[(begin + i) * words + c] : 0;
        count += __builtin_popcountll(bits[i]);
    }
    return count;
}

gw_status gw_token_blocks_make(gw_token_blocks *blocks, const gw_token_graph *tokens) {
    const int64_t rows = (tokens->queries + BLOCK - 1) / BLOCK, columns = gw_bit_words(tokens->keys);
    gw_graph *graph = &blocks->graph;
    GW_TRY(reserve(blocks, rows, columns));
    *graph = (gw_graph){.block = BLOCK, .query_blocks = (int32_t)rows, .key_blocks = (int32_t)columns};
    blocks->row_start[0] = 0;
    for (int64_t r = 0; r < rows; r++) {
        const int64_t begin = r * BLOCK, end = smaller(begin + BLOCK, tokens->queries);
        for (int64_t c = 0; c < columns; c++) {
            const int64_t cell = r * columns + c;
            const int64_t count = copy_bits(tokens, begin, end, c, blocks->bits + cell * BLOCK);
            const int64_t pairs = (end - begin) * smaller(tokens->keys - c * BLOCK, BLOCK);
            if (count == 0) continue;
            blocks->column[graph->edges] = (int32_t)c;
            blocks->kind[graph->edges] = count == pairs ? GW_EDGE_FULL : GW_EDGE_BITS;
            blocks->bits_index[graph->edges++] = cell;
        }
        blocks->row_start[r + 1] = graph->edges;
    }
    graph->row_start = blocks->row_start;
    graph->column = blocks->column;
    graph->kind = blocks->kind;
    graph->bits = blocks->bits;
    graph->bits_index = blocks->bits_index;
    return GW_OK;
}
