// SPDX-License-Identifier: MIT
// Effect of a graph's edge on its scores: multiplicity, and which query reads which key.
//
// Scores are a tile of `rows` x lanes. With `lanes_are_queries` the lanes are queries and the rows are keys; otherwise
// the lanes are keys.
#ifndef GW_KERNELS_CPU_ISA_ATTENTION_EDGE_H
#define GW_KERNELS_CPU_ISA_ATTENTION_EDGE_H

#include "kernels/cpu/attention_work.h"
#include "kernels/cpu/isa/vector.h"

typedef struct {
    const gw_graph *graph;
    const gw_attention_sequence *sequence;
    int64_t edge, query_block, key_block;
    int64_t queries, keys; // in the blocks
    int head;
    bool lanes_are_queries;
} gw_edge;

GW_INLINE float gw_edge_log_multiplicity(const gw_edge *edge) {
    return edge->graph->log_multiplicity ? edge->graph->log_multiplicity[edge->edge] : 0.0f;
}

// Whether scores are plain products.
GW_INLINE bool gw_edge_is_plain(const gw_edge *edge) {
    const gw_graph *graph = edge->graph;
    return (!graph->kind || graph->kind[edge->edge] == GW_EDGE_FULL) && gw_edge_log_multiplicity(edge) == 0.0f;
}

GW_INLINE void gw_edge_exclude(float *scores, int64_t begin, int64_t end) {
    for (int64_t lane = begin; lane < end; lane++) scores[lane] = -INFINITY;
}

// The lanes [low, high) that a row reads, or that read it: CAUSAL and BAND are intervals of key - query.
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

enum { GW_EDGE_SQUARE = 64 }; // side of the bit square that is transposed at once

// Transposes bits: bit j of row i becomes bit i of row j. Halves of the square are exchanged, then halves of its
// quarters, and so on.
GW_INLINE void gw_turn_bits(uint64_t row[GW_EDGE_SQUARE]) {
    uint64_t low = 0xffffffff;
    for (int size = GW_EDGE_SQUARE / 2; size > 0; size /= 2, low ^= low << size)
        for (int first = 0; first < GW_EDGE_SQUARE; first += 2 * size)
            for (int i = first; i < first + size; i++) {
                const uint64_t moved = (row[i] >> size ^ row[i + size]) & low;
                row[i] ^= moved << size;
                row[i + size] ^= moved;
            }
}

// 64 bits of `words` from bit `at` on; bits behind the end are 0.
GW_INLINE uint64_t gw_bits_at(const uint64_t *bits, int64_t words, int64_t at) {
    const int64_t word = at / 64, shift = at % 64;
    const uint64_t rest = shift > 0 && word + 1 < words ? bits[word + 1] << (64 - shift) : 0;
    return bits[word] >> shift | rest;
}

// Sets scores to -infinity where a bit of `read` is 0, for at most GW_EDGE_SQUARE lanes.
GW_INLINE void gw_edge_exclude_unset(float *scores, int64_t lanes, uint64_t read) {
    for (int64_t lane = 0; lane < lanes; lane += GW_LANES)
        gw_store_some(scores + lane,
                      gw_where_set(read >> lane, gw_load_some(scores + lane, lanes - lane), gw_all(-INFINITY)),
                      lanes - lane);
}

// Excludes by one square of bits: queries from `query` and keys from `key` of the blocks on.
GW_INLINE void gw_edge_exclude_square(const gw_edge *edge, float *scores, int64_t stride, int64_t query, int64_t key) {
    const int64_t block = edge->graph->block, words = gw_graph_words(block);
    const uint64_t *bits = edge->graph->bits + edge->graph->bits_index[edge->edge] * words;
    const int64_t queries = edge->queries - query < GW_EDGE_SQUARE ? edge->queries - query : GW_EDGE_SQUARE;
    const int64_t keys = edge->keys - key < GW_EDGE_SQUARE ? edge->keys - key : GW_EDGE_SQUARE;
    uint64_t read[GW_EDGE_SQUARE] = {0};
    for (int64_t i = 0; i < queries; i++)
        read[i] = gw_bits_at(bits, words, (edge->graph->within + query + i) * block + key);
    if (edge->lanes_are_queries) gw_turn_bits(read);
    const int64_t rows = edge->lanes_are_queries ? keys : queries, lanes = edge->lanes_are_queries ? queries : keys;
    scores += edge->lanes_are_queries ? key * stride + query : query * stride + key;
    for (int64_t row = 0; row < rows; row++) gw_edge_exclude_unset(scores + row * stride, lanes, read[row]);
}

GW_INLINE void gw_edge_exclude_bits(const gw_edge *edge, float *scores, int64_t stride) {
    for (int64_t query = 0; query < edge->queries; query += GW_EDGE_SQUARE)
        for (int64_t key = 0; key < edge->keys; key += GW_EDGE_SQUARE)
            gw_edge_exclude_square(edge, scores, stride, query, key);
}

// Converts products to z: adds ln m, and sets -infinity if a query does not read a key.
static __attribute__((noinline, unused)) void gw_edge_apply(const gw_edge *edge, float *scores, int64_t stride) {
    if (gw_edge_is_plain(edge)) return;
    const int64_t rows = edge->lanes_are_queries ? edge->keys : edge->queries;
    const int64_t lanes = edge->lanes_are_queries ? edge->queries : edge->keys;
    const float log_multiplicity = gw_edge_log_multiplicity(edge);
    const gw_edge_kind kind = edge->graph->kind ? edge->graph->kind[edge->edge] : GW_EDGE_FULL;
    if (kind == GW_EDGE_BITS) gw_edge_exclude_bits(edge, scores, stride);
    for (int64_t row = 0; row < rows; row++, scores += stride) {
        if (log_multiplicity != 0.0f)
            for (int64_t lane = 0; lane < lanes; lane++) scores[lane] += log_multiplicity;
        if (kind == GW_EDGE_CAUSAL || kind == GW_EDGE_BAND) gw_edge_exclude_outside(edge, scores, row, lanes);
    }
}

#endif
