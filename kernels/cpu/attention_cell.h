// SPDX-License-Identifier: MIT
// What a cell of the graph does to its scores: multiplicity, bias, and which query reads which key.
//
// Scores are a tile of `rows` x lanes. By queries (`lanes_are_queries`) the lanes are queries and the rows keys; by
// keys the other way round.
#ifndef GW_KERNELS_CPU_ATTENTION_CELL_H
#define GW_KERNELS_CPU_ATTENTION_CELL_H

#include "kernels/attention_work.h"
#include "kernels/cpu/vector.h"

typedef struct {
    const gw_graph *graph;
    const gw_attention_sequence *sequence;
    int64_t edge, query_block, key_block;
    int64_t queries, keys; // that the blocks hold
    int head;
    bool lanes_are_queries;
} gw_cell;

GW_INLINE float gw_cell_log_multiplicity(const gw_cell *cell) {
    return cell->graph->log_multiplicity ? cell->graph->log_multiplicity[cell->edge] : 0.0f;
}

// True where scores are plain products.
GW_INLINE bool gw_cell_is_plain(const gw_cell *cell) {
    const gw_graph *graph = cell->graph;
    return (!graph->kind || graph->kind[cell->edge] == GW_CELL_FULL) && gw_cell_log_multiplicity(cell) == 0.0f &&
           !cell->sequence->key_mask && !cell->sequence->bias;
}

// First number of the cell in a bias or its gradient, [query][key] of block * block.
GW_INLINE int64_t gw_cell_bias_offset(const gw_cell *cell) {
    const int64_t block = cell->graph->block;
    return (cell->head * cell->graph->edges + cell->edge) * block * block;
}

GW_INLINE void gw_cell_exclude(float *scores, int64_t begin, int64_t end) {
    for (int64_t lane = begin; lane < end; lane++) scores[lane] = -INFINITY;
}

// Where lanes [low, high) of a row's `count` lanes may be read: DIAG and BAND are intervals on either side.
GW_INLINE void gw_cell_interval(const gw_cell *cell, int64_t row, int64_t *low, int64_t *high) {
    const int64_t block = cell->graph->block, band = cell->graph->band;
    const int64_t distance = (cell->key_block - cell->query_block) * block; // key - query = distance + j - i
    const bool causal = cell->graph->kind[cell->edge] == GW_CELL_DIAG;
    if (cell->lanes_are_queries) { // i >= distance + j, or |distance + j - i| <= band
        *low = causal ? distance + row : distance + row - band;
        *high = causal ? cell->queries : distance + row + band + 1;
    } else { // j <= i - distance
        *low = causal ? 0 : row - distance - band;
        *high = causal ? row - distance + 1 : row - distance + band + 1;
    }
}

GW_INLINE void gw_cell_exclude_outside(const gw_cell *cell, float *scores, int64_t row, int64_t lanes) {
    int64_t low, high;
    gw_cell_interval(cell, row, &low, &high);
    low = low < 0 ? 0 : low > lanes ? lanes : low;
    high = high < low ? low : high > lanes ? lanes : high;
    gw_cell_exclude(scores, 0, low);
    gw_cell_exclude(scores, high, lanes);
}

GW_INLINE void gw_cell_exclude_bits(const gw_cell *cell, float *scores, int64_t row, int64_t lanes) {
    const int64_t block = cell->graph->block, words = (block * block + 63) / 64;
    const uint64_t *bits = cell->graph->bits + cell->graph->bits_index[cell->edge] * words;
    for (int64_t lane = 0; lane < lanes; lane++) {
        const int64_t bit = cell->lanes_are_queries ? lane * block + row : row * block + lane;
        if (!(bits[bit / 64] >> (bit % 64) & 1)) scores[lane] = -INFINITY;
    }
}

GW_INLINE void gw_cell_exclude_masked(const gw_cell *cell, float *scores, int64_t row, int64_t lanes) {
    const uint8_t *mask = cell->sequence->key_mask + cell->key_block * cell->graph->block;
    if (cell->lanes_are_queries) {
        if (!mask[row]) gw_cell_exclude(scores, 0, lanes);
        return;
    }
    for (int64_t lane = 0; lane < lanes; lane++)
        if (!mask[lane]) scores[lane] = -INFINITY;
}

GW_INLINE void gw_cell_add_bias(const gw_cell *cell, float *scores, int64_t row, int64_t lanes) {
    const int64_t block = cell->graph->block;
    const float *bias = cell->sequence->bias + gw_cell_bias_offset(cell);
    for (int64_t lane = 0; lane < lanes; lane++)
        scores[lane] += cell->lanes_are_queries ? bias[lane * block + row] : bias[row * block + lane];
}

// Makes z of the products: adds ln m and the bias, and puts -infinity where a query does not read a key.
static __attribute__((noinline, unused)) void gw_cell_apply(const gw_cell *cell, float *scores, int64_t stride) {
    if (gw_cell_is_plain(cell)) return;
    const int64_t rows = cell->lanes_are_queries ? cell->keys : cell->queries;
    const int64_t lanes = cell->lanes_are_queries ? cell->queries : cell->keys;
    const float log_multiplicity = gw_cell_log_multiplicity(cell);
    const gw_cell_kind kind = cell->graph->kind ? cell->graph->kind[cell->edge] : GW_CELL_FULL;
    for (int64_t row = 0; row < rows; row++, scores += stride) {
        if (log_multiplicity != 0.0f)
            for (int64_t lane = 0; lane < lanes; lane++) scores[lane] += log_multiplicity;
        if (cell->sequence->bias) gw_cell_add_bias(cell, scores, row, lanes);
        if (kind == GW_CELL_DIAG || kind == GW_CELL_BAND) gw_cell_exclude_outside(cell, scores, row, lanes);
        if (kind == GW_CELL_BITS) gw_cell_exclude_bits(cell, scores, row, lanes);
        if (cell->sequence->key_mask) gw_cell_exclude_masked(cell, scores, row, lanes);
    }
}

#endif
