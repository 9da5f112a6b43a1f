// SPDX-License-Identifier: MIT
// What an edge of the graph does to its scores: multiplicity, and which query reads which key.
//
// Scores are a tile of `rows` x lanes. By queries (`lanes_are_queries`) the lanes are queries and the rows keys; by
// keys the other way round.
#ifndef GW_KERNELS_CPU_ISA_ATTENTION_EDGE_H
#define GW_KERNELS_CPU_ISA_ATTENTION_EDGE_H

#include "kernels/cpu/attention_work.h"
#include "kernels/cpu/isa/vector.h"

typedef struct {
    const gw_graph *graph;
    const gw_attention_sequence *sequence;
    int64_t edge, query_block, key_block;
    int64_t queries, keys; // that the blocks hold
    int head;
    bool lanes_are_queries;
} gw_edge;

GW_INLINE float gw_edge_log_multiplicity(const gw_edge *edge) {
    return edge->graph->log_multiplicity ? edge->graph->log_multiplicity[edge->edge] : 0.0f;
}

// True where scores are plain products.
GW_INLINE bool gw_edge_is_plain(const gw_edge *edge) {
    const gw_graph *graph = edge->graph;
    return (!graph->kind || graph->kind[edge->edge] == GW_EDGE_FULL) && gw_edge_log_multiplicity(edge) == 0.0f;
}

GW_INLINE void gw_edge_exclude(float *scores, int64_t begin, int64_t end) {
    for (int64_t lane = begin; lane < end; lane++) scores[lane] = -INFINITY;
}

// Where lanes [low, high) of a row's lanes may be read: CAUSAL and BAND are intervals of key - query on either side.
GW_INLINE void gw_edge_interval(const gw_edge *edge, int64_t row, int64_t *low, int64_t *high) {
    const gw_graph *graph = edge->graph;
    const int64_t distance = (edge->key_block - edge->query_block) * graph->block - graph->offset; // of i = j = 0
    const bool causal = graph->kind[edge->edge] == GW_EDGE_CAUSAL;
    const int64_t before = causal ? INT64_MAX / 2 : graph->before, after = causal ? 0 : graph->after;
    if (edge->lanes_are_queries) { // distance + j - after <= i <= distance + j + before
        *low = distance + row - after;
        *high = distance + row + before + 1;
    } else { // i - distance - before <= j <= i - distance + after
        *low = row - distance - before;
        *high = row - distance + after + 1;
    }
}

GW_INLINE void gw_edge_exclude_outside(const gw_edge *edge, float *scores, int64_t row, int64_t lanes) {
    int64_t low, high;
    gw_edge_interval(edge, row, &low, &high);
    low = low < 0 ? 0 : low > lanes ? lanes : low;
    high = high < low ? low : high > lanes ? lanes : high;
    gw_edge_exclude(scores, 0, low);
    gw_edge_exclude(scores, high, lanes);
}

GW_INLINE void gw_edge_exclude_bits(const gw_edge *edge, float *scores, int64_t row, int64_t lanes) {
    const int64_t block = edge->graph->block, within = edge->graph->within;
    const uint64_t *bits = edge->graph->bits + edge->graph->bits_index[edge->edge] * gw_graph_words(block);
    for (int64_t lane = 0; lane < lanes; lane++) {
        const int64_t bit = edge->lanes_are_queries ? (within + lane) * block + row : (within + row) * block + lane;
        if (!(bits[bit / 64] >> (bit % 64) & 1)) scores[lane] = -INFINITY;
    }
}

// Makes z of the products: adds ln m, and puts -infinity where a query does not read a key.
static __attribute__((noinline, unused)) void gw_edge_apply(const gw_edge *edge, float *scores, int64_t stride) {
    if (gw_edge_is_plain(edge)) return;
    const int64_t rows = edge->lanes_are_queries ? edge->keys : edge->queries;
    const int64_t lanes = edge->lanes_are_queries ? edge->queries : edge->keys;
    const float log_multiplicity = gw_edge_log_multiplicity(edge);
    const gw_edge_kind kind = edge->graph->kind ? edge->graph->kind[edge->edge] : GW_EDGE_FULL;
    for (int64_t row = 0; row < rows; row++, scores += stride) {
        if (log_multiplicity != 0.0f)
            for (int64_t lane = 0; lane < lanes; lane++) scores[lane] += log_multiplicity;
        if (kind == GW_EDGE_CAUSAL || kind == GW_EDGE_BAND) gw_edge_exclude_outside(edge, scores, row, lanes);
        if (kind == GW_EDGE_BITS) gw_edge_exclude_bits(edge, scores, row, lanes);
    }
}

#endif
