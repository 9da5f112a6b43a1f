// SPDX-License-Identifier: MIT
// Paths by breadth-first search and triangles by counting, both on rows of bits: 64 blocks a word.
#include "graph/measure.h"

#include "base/log.h"
#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static gw_bit_rows make_rows(int64_t blocks) {
    const int64_t words = (blocks + 63) / 64;
    return (gw_bit_rows){blocks, words, gw_alloc(blocks * words, sizeof(uint64_t))};
}

static void set_bit(gw_bit_rows *rows, int64_t row, int64_t column) {
    rows->bits[row * rows->words + column / 64] |= 1ull << (column % 64);
}

// reads: row r holds the blocks that r reads; links: the same in both directions. Neither holds a block itself.
static void fill_bits(const gw_graph *graph, gw_bit_rows *reads, gw_bit_rows *links) {
    for (int64_t r = 0; r < graph->query_blocks; r++) {
        for (int64_t e = graph->row_start[r]; e < graph->row_start[r + 1]; e++) {
            const int64_t c = graph->column[e];
            if (c == r) continue;
            set_bit(reads, r, c);
            set_bit(links, r, c);
            set_bit(links, c, r);
        }
    }
}

typedef struct {
    uint64_t *seen, *frontier, *next; // [words]
    int64_t sum, pairs, longest;      // of the distances found so far
} search;

// All blocks one step further; returns how many are new.
static int64_t advance(const gw_bit_rows *rows, search *s) {
    memset(s->next, 0, (size_t)rows->words * sizeof *s->next);
    for (int64_t w = 0; w < rows->words; w++) {
        for (uint64_t left = s->frontier[w]; left; left &= left - 1) {
            const uint64_t *row = rows->bits + (w * 64 + __builtin_ctzll(left)) * rows->words;
            for (int64_t k = 0; k < rows->words; k++) s->next[k] |= row[k];
        }
    }
    int64_t found = 0;
    for (int64_t w = 0; w < rows->words; w++) {
        s->frontier[w] = s->next[w] & ~s->seen[w];
        s->seen[w] |= s->frontier[w];
        found += __builtin_popcountll(s->frontier[w]);
    }
    return found;
}

static void search_from(const gw_bit_rows *rows, int64_t start, search *s) {
    memset(s->seen, 0, (size_t)rows->words * sizeof *s->seen);
    memset(s->frontier, 0, (size_t)rows->words * sizeof *s->frontier);
    s->seen[start / 64] = s->frontier[start / 64] = 1ull << (start % 64);
    int64_t found;
    for (int64_t distance = 1; (found = advance(rows, s)) > 0; distance++) {
        s->sum += distance * found;
        s->pairs += found;
        if (distance > s->longest) s->longest = distance;
    }
}

static gw_status measure_paths(const gw_bit_rows *reads, search *s, gw_graph_measures *out) {
    for (int64_t r = 0; r < reads->blocks; r++) {
        GW_TRY(gw_check_interrupt());
        search_from(reads, r, s);
    }
    out->mean_path = s->pairs > 0 ? (double)s->sum / (double)s->pairs : 0;
    out->longest_path = s->longest;
    out->unreachable = reads->blocks * (reads->blocks - 1) - s->pairs;
    return GW_OK;
}

// Neighbours of `block`, and how many ordered pairs of them are linked.
static int64_t count_neighbours(const gw_bit_rows *links, int64_t block, int64_t *linked) {
    const uint64_t *own = links->bits + block * links->words;
    int64_t degree = 0;
    *linked = 0;
    for (int64_t w = 0; w < links->words; w++) {
        degree += __builtin_popcountll(own[w]);
        for (uint64_t left = own[w]; left; left &= left - 1) {
            const uint64_t *other = links->bits + (w * 64 + __builtin_ctzll(left)) * links->words;
            for (int64_t k = 0; k < links->words; k++) *linked += __builtin_popcountll(own[k] & other[k]);
        }
    }
    return degree;
}

static gw_status measure_clustering(const gw_bit_rows *links, gw_graph_measures *out) {
    double sum = 0;
    for (int64_t b = 0; b < links->blocks; b++) {
        int64_t linked;
        GW_TRY(gw_check_interrupt());
        const int64_t degree = count_neighbours(links, b, &linked);
        if (degree > 1) sum += (double)linked / ((double)degree * (double)(degree - 1));
    }
    out->clustering = sum / (double)links->blocks;
    return GW_OK;
}

// Whether a search along links from block 0 finds every block.
static bool is_connected(const gw_bit_rows *links, search *s) {
    s->pairs = 0;
    search_from(links, 0, s);
    return s->pairs == links->blocks - 1;
}

static bool reads_token(const gw_graph *graph, int64_t edge, int64_t query, int64_t key) {
    const int64_t block = graph->block, apart = key - query - graph->offset, bit = query % block * block + key % block;
    switch (graph->kind[edge]) {
    case GW_EDGE_CAUSAL: return apart <= 0;
    case GW_EDGE_BAND: return -graph->before <= apart && apart <= graph->after;
    case GW_EDGE_BITS: return graph->bits[graph->bits_index[edge] * gw_graph_words(block) + bit / 64] >> bit % 64 & 1;
    default: return true;
    }
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

int64_t gw_graph_token_pairs(const gw_graph *graph, int64_t queries, int64_t keys) {
    int64_t pairs = 0;
    for (int64_t r = 0; r < graph->query_blocks; r++)
        for (int64_t e = graph->row_start[r]; e < graph->row_start[r + 1]; e++) {
            const int64_t i = r * graph->block, j = graph->column[e] * (int64_t)graph->block;
            const int64_t i_end = smaller(i + graph->block, queries), j_end = smaller(j + graph->block, keys);
            if (!graph->kind || graph->kind[e] == GW_EDGE_FULL) pairs += (i_end - i) * (j_end - j);
            else
                for (int64_t q = i; q < i_end; q++)
                    for (int64_t k = j; k < j_end; k++) pairs += reads_token(graph, e, q, k);
        }
    return pairs;
}

static void count_edges(const gw_graph *graph, gw_graph_measures *out) {
    *out = (gw_graph_measures){.blocks = graph->query_blocks, .edges = graph->edges};
    for (int64_t e = 0; e < graph->edges; e++)
        out->listed += graph->log_multiplicity ? round(exp((double)graph->log_multiplicity[e])) : 1;
    out->density = (double)graph->edges / ((double)graph->query_blocks * graph->key_blocks);
}

gw_status gw_graph_measure(const gw_graph *graph, gw_graph_measures *out) {
    count_edges(graph, out);
    if (graph->query_blocks != graph->key_blocks) return GW_OK;
    gw_bit_rows reads = make_rows(graph->query_blocks), links = make_rows(graph->query_blocks);
    uint64_t *scratch = gw_alloc(3 * links.words, sizeof *scratch);
    gw_status status = reads.bits && links.bits && scratch ? GW_OK : GW_ERR_MEMORY;
    if (status != GW_OK) goto done;
    search s = {.seen = scratch, .frontier = scratch + links.words, .next = scratch + 2 * links.words};
    fill_bits(graph, &reads, &links);
    GW_TRY_GOTO(status, measure_paths(&reads, &s, out), done);
    GW_TRY_GOTO(status, measure_clustering(&links, out), done);
    if (links.blocks > 1 && is_connected(&links, &s)) {
        double second;
        GW_TRY_GOTO(status, gw_second_eigenvalue(&links, &second), done);
        out->spectral_gap = 1 - second;
    }
done:
    free(reads.bits);
    free(links.bits);
    free(scratch);
    return status;
}
