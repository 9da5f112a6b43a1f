// SPDX-License-Identifier: MIT
// A row of blocks at a time: every key block has a place for its bits, and those with any become edges.
#include "graph/token_blocks.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void gw_token_blocks_free(gw_token_blocks *blocks) {
    free(blocks->row_start);
    free(blocks->bits_index);
    free(blocks->count);
    free(blocks->column);
    free(blocks->kind);
    free(blocks->bits);
}

static gw_status reserve(gw_token_blocks *b, int64_t rows, int64_t columns, int64_t words) {
    GW_TRY(gw_reserve(&b->row_start, &b->rows, rows + 1, sizeof *b->row_start));
    GW_TRY(gw_reserve(&b->bits_index, &b->indices, rows * columns, sizeof *b->bits_index));
    GW_TRY(gw_reserve(&b->count, &b->counts, columns, sizeof *b->count));
    GW_TRY(gw_reserve(&b->column, &b->columns, rows * columns, sizeof *b->column));
    GW_TRY(gw_reserve(&b->kind, &b->kinds, rows * columns, sizeof *b->kind));
    return gw_reserve(&b->bits, &b->words, rows * columns * words, sizeof *b->bits);
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// Sets the bits of queries [begin, end), whose cells begin at `bits`, and counts those of each cell.
static void set_bits(gw_token_blocks *b, const gw_token_graph *tokens, int64_t begin, int64_t end, uint64_t *bits) {
    const int64_t block = b->graph.block, words = gw_graph_words(block);
    memset(bits, 0, (size_t)(b->graph.key_blocks * words) * sizeof *bits);
    memset(b->count, 0, (size_t)b->graph.key_blocks * sizeof *b->count);
    for (int64_t i = begin; i < end; i++)
        for (int64_t e = tokens->row_start[i], cell = 0; e < tokens->row_start[i + 1]; e++) {
            while (tokens->column[e] >= (cell + 1) * block) cell++;
            const int64_t bit = (i - begin) * block + tokens->column[e] - cell * block;
            bits[cell * words + bit / 64] |= (uint64_t)1 << bit % 64;
            b->count[cell]++;
        }
}

gw_status gw_token_blocks_make(gw_token_blocks *blocks, const gw_token_graph *tokens, int block) {
    const int64_t rows = (tokens->queries + block - 1) / block, columns = (tokens->keys + block - 1) / block,
                  words = gw_graph_words(block);
    gw_graph *graph = &blocks->graph;
    GW_TRY(reserve(blocks, rows, columns, words));
    *graph = (gw_graph){.block = block, .query_blocks = (int32_t)rows, .key_blocks = (int32_t)columns};
    blocks->row_start[0] = 0;
    for (int64_t r = 0; r < rows; r++) {
        const int64_t begin = r * block, end = smaller(begin + block, tokens->queries);
        set_bits(blocks, tokens, begin, end, blocks->bits + r * columns * words);
        for (int64_t c = 0; c < columns; c++) {
            if (blocks->count[c] == 0) continue;
            const int64_t pairs = (end - begin) * (smaller((c + 1) * block, tokens->keys) - c * block);
            blocks->column[graph->edges] = (int32_t)c;
            blocks->kind[graph->edges] = blocks->count[c] == pairs ? GW_EDGE_FULL : GW_EDGE_BITS;
            blocks->bits_index[graph->edges++] = r * columns + c;
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
