// SPDX-License-Identifier: MIT
// Block lists -> compressed rows with multiplicities, and their transpose by a counting sort.
#include "graph/lists.h"

#include "base/memory.h"
#include "graph/pattern.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

gw_status gw_block_lists_add(gw_block_lists *lists, const int32_t *row, int64_t count) {
    GW_TRY(gw_reserve(&lists->row_start, &lists->row_capacity, lists->rows + 2, sizeof *lists->row_start));
    if (lists->rows == 0) lists->row_start[0] = 0;
    const int64_t start = lists->row_start[lists->rows];
    GW_TRY(gw_reserve(&lists->block, &lists->capacity, start + count, sizeof *lists->block));
    if (count > 0) memcpy(lists->block + start, row, (size_t)count * sizeof *row);
    lists->row_start[++lists->rows] = start + count;
    return GW_OK;
}

void gw_block_lists_free(gw_block_lists *lists) {
    free(lists->row_start);
    free(lists->block);
    *lists = (gw_block_lists){0};
}

// A graph and the one piece of memory that its arrays lie in.
typedef struct {
    gw_graph graph; // first: gw_graph_free() finds the rest behind it
    gw_arena arena;
    int64_t *row_start, *column_start, *edge;
    int32_t *column, *row;
    float *log_multiplicity;
} owned_graph;

static void place_arrays(owned_graph *g, int64_t blocks, int64_t edges, bool repeats) {
    g->row_start = gw_arena_take(&g->arena, blocks + 1, sizeof *g->row_start);
    g->column_start = gw_arena_take(&g->arena, blocks + 1, sizeof *g->column_start);
    g->column = gw_arena_take(&g->arena, edges, sizeof *g->column);
    g->row = gw_arena_take(&g->arena, edges, sizeof *g->row);
    g->edge = gw_arena_take(&g->arena, edges, sizeof *g->edge);
    if (repeats) g->log_multiplicity = gw_arena_take(&g->arena, edges, sizeof *g->log_multiplicity);
}

static int compare_blocks(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// Sorted copies of the rows: repeats stand side by side.
static int32_t *sort_rows(const gw_block_lists *lists) {
    const int64_t count = lists->row_start[lists->rows];
    int32_t *sorted = gw_alloc(count, sizeof *sorted);
    if (!sorted) return NULL;
    if (count > 0) memcpy(sorted, lists->block, (size_t)count * sizeof *sorted);
    for (int64_t r = 0; r < lists->rows; r++)
        qsort(sorted + lists->row_start[r], (size_t)(lists->row_start[r + 1] - lists->row_start[r]), sizeof *sorted,
              compare_blocks);
    return sorted;
}

static int64_t count_distinct(const gw_block_lists *lists, const int32_t *sorted) {
    int64_t edges = 0;
    for (int64_t r = 0; r < lists->rows; r++)
        for (int64_t k = lists->row_start[r]; k < lists->row_start[r + 1]; k++)
            edges += k == lists->row_start[r] || sorted[k] != sorted[k - 1];
    return edges;
}

static void fill_rows(owned_graph *g, const gw_block_lists *lists, const int32_t *sorted) {
    int64_t edges = 0;
    for (int64_t r = 0; r < lists->rows; r++) {
        const int64_t end = lists->row_start[r + 1];
        for (int64_t k = lists->row_start[r], next; k < end; k = next) {
            for (next = k + 1; next < end && sorted[next] == sorted[k];) next++;
            g->column[edges] = sorted[k];
            if (g->log_multiplicity) g->log_multiplicity[edges] = logf((float)(next - k));
            edges++;
        }
        g->row_start[r + 1] = edges;
    }
}

// Edges by column: counts, their running sums, then every edge to its slot. Rows come in order, so that the rows of a
// column do too. column_start[c + 1] serves as column c's next free slot meanwhile, one step behind its final value.
static void fill_columns(owned_graph *g, int64_t blocks, int64_t edges) {
    int64_t *start = g->column_start;
    for (int64_t e = 0; e < edges; e++)
        if (g->column[e] + 2 <= blocks) start[g->column[e] + 2]++;
    for (int64_t c = 1; c <= blocks; c++) start[c] += start[c - 1];
    for (int64_t r = 0; r < blocks; r++) {
        for (int64_t e = g->row_start[r]; e < g->row_start[r + 1]; e++) {
            const int64_t slot = start[g->column[e] + 1]++;
            g->row[slot] = (int32_t)r;
            g->edge[slot] = e;
        }
    }
}

static gw_status build(owned_graph *g, int block, const gw_block_lists *lists, const int32_t *sorted) {
    const int64_t blocks = lists->blocks, edges = count_distinct(lists, sorted);
    const bool repeats = edges < lists->row_start[lists->rows];
    place_arrays(g, blocks, edges, repeats);
    GW_TRY(gw_arena_place(&g->arena));
    place_arrays(g, blocks, edges, repeats);
    fill_rows(g, lists, sorted);
    fill_columns(g, blocks, edges);
    g->graph = (gw_graph){.block = block,
                          .query_blocks = (int32_t)blocks,
                          .key_blocks = (int32_t)blocks,
                          .edges = edges,
                          .row_start = g->row_start,
                          .column = g->column,
                          .log_multiplicity = g->log_multiplicity,
                          .column_start = g->column_start,
                          .row = g->row,
                          .edge = g->edge};
    return GW_OK;
}

gw_status gw_graph_build(int block, const gw_block_lists *lists, gw_graph **out) {
    *out = NULL;
    owned_graph *g = gw_alloc(1, sizeof *g);
    int32_t *sorted = sort_rows(lists);
    gw_status status = g && sorted ? build(g, block, lists, sorted) : GW_ERR_MEMORY;
    free(sorted);
    if (status == GW_OK) *out = &g->graph;
    else if (g) gw_graph_free(&g->graph);
    return status;
}

int64_t gw_graph_bytes(const gw_graph *graph) {
    return ((const owned_graph *)graph)->arena.size;
}

void gw_graph_free(gw_graph *graph) {
    owned_graph *g = (owned_graph *)graph;
    if (!g) return;
    gw_arena_free(&g->arena);
    free(g);
}
