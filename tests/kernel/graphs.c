// SPDX-License-Identifier: MIT
// Makes block graphs edge by edge, and answers whether a graph lets a query read a key.
#include "tests/kernel/graphs.h"
#include "tests/kernel/support.h"

#include <math.h>
#include <stdlib.h>

static bool has_edge(test_graph_kind kind, int row, int column, int rows, int columns) {
    if (kind == TEST_FULL) return true;
    if (kind == TEST_CAUSAL) return column <= row;
    if (kind == TEST_BAND) return abs(row - column) <= 2;
    if (kind == TEST_EMPTY_ROW && row == 1) return false;
    const bool border = row == 0 || column == 0 || row == rows - 1 || column == columns - 1;
    return border || abs(row - column) <= 1 || test_uniform() < 0.2;
}

static uint8_t kind_of_edge(test_graph_kind kind, int row, int column) {
    if (kind == TEST_CAUSAL) return row == column ? GW_EDGE_CAUSAL : GW_EDGE_FULL;
    if (kind == TEST_BAND) return GW_EDGE_BAND;
    return kind == TEST_BITS && (row == 1 || (row + column) % 2) ? GW_EDGE_BITS : GW_EDGE_FULL;
}

typedef struct {
    int64_t *row_start, *column_start, *edge, *bits_index;
    int32_t *column, *row;
    uint8_t *kind;
    float *log_multiplicity;
    uint64_t *bits;
} graph_memory;

static void add_transpose(gw_graph *graph, graph_memory *memory) {
    int64_t next = 0;
    for (int32_t column = 0; column < graph->key_blocks; column++) {
        for (int32_t row = 0; row < graph->query_blocks; row++)
            for (int64_t e = memory->row_start[row]; e < memory->row_start[row + 1]; e++)
                if (memory->column[e] == column) memory->row[next] = row, memory->edge[next++] = e;
        memory->column_start[column + 1] = next;
    }
}

static void add_bits(gw_graph *graph, graph_memory *memory) {
    const int64_t words = gw_graph_words(graph->block);
    memory->bits = test_alloc(graph->edges * words, sizeof *memory->bits);
    memory->bits_index = test_alloc(graph->edges, sizeof *memory->bits_index);
    int64_t edges = 0;
    for (int64_t e = 0; e < graph->edges; e++) {
        if (memory->kind[e] != GW_EDGE_BITS) continue;
        const bool row_1 = graph->query_blocks > 1 && e >= memory->row_start[1] && e < memory->row_start[2];
        for (int64_t bit = 0; bit < (int64_t)graph->block * graph->block; bit++) {
            const bool reads_none = row_1 && bit / graph->block == 3;
            if (test_uniform() < 0.3 && !reads_none) memory->bits[edges * words + bit / 64] |= (uint64_t)1 << bit % 64;
        }
        memory->bits_index[e] = edges++;
    }
    graph->bits = memory->bits, graph->bits_index = memory->bits_index;
}

static graph_memory make_memory(int rows, int columns) {
    const int64_t most = (int64_t)rows * columns;
    return (graph_memory){.row_start = test_alloc(rows + 1, 8),
                          .column_start = test_alloc(columns + 1, 8),
                          .edge = test_alloc(most, 8),
                          .column = test_alloc(most, 4),
                          .row = test_alloc(most, 4),
                          .kind = test_alloc(most, 1),
                          .log_multiplicity = test_alloc(most, 4)};
}

gw_graph *test_graph(test_graph_kind kind, int block, int query_blocks, int key_blocks) {
    gw_graph *graph = test_alloc(1, sizeof *graph);
    graph_memory memory = make_memory(query_blocks, key_blocks);
    *graph = (gw_graph){.block = block,
                        .query_blocks = query_blocks,
                        .key_blocks = key_blocks,
                        .before = block + 1,
                        .after = block + 1};
    for (int row = 0; row < query_blocks; row++) {
        for (int column = 0; column < key_blocks; column++) {
            if (!has_edge(kind, row, column, query_blocks, key_blocks)) continue;
            memory.column[graph->edges] = column;
            memory.kind[graph->edges] = kind_of_edge(kind, row, column);
            memory.log_multiplicity[graph->edges++] = column == 0 ? logf(3.0f) : 0.0f;
        }
        memory.row_start[row + 1] = graph->edges;
    }
    add_transpose(graph, &memory);
    graph->row_start = memory.row_start, graph->column = memory.column, graph->column_start = memory.column_start;
    graph->row = memory.row, graph->edge = memory.edge;
    if (kind != TEST_FULL && kind != TEST_SPARSE) graph->kind = memory.kind;
    if (kind == TEST_MULTIPLICITY) graph->log_multiplicity = memory.log_multiplicity;
    if (kind == TEST_BITS) add_bits(graph, &memory);
    return graph;
}

bool test_graph_reads(const gw_graph *graph, int64_t edge, int64_t query, int64_t key) {
    const int64_t block = graph->block, bit = (graph->within + query) % block * block + key % block,
                  apart = key - graph->offset - query;
    switch (graph->kind ? graph->kind[edge] : GW_EDGE_FULL) {
    case GW_EDGE_CAUSAL: return apart <= 0;
    case GW_EDGE_BAND: return -graph->before <= apart && apart <= graph->after;
    case GW_EDGE_BITS: return graph->bits[graph->bits_index[edge] * gw_graph_words(block) + bit / 64] >> bit % 64 & 1;
    default: return true;
    }
}
