// SPDX-License-Identifier: MIT
// Block lists, and the graph made from them: compressed rows, and their transpose by a counting sort.
//
// A listed block allows an interval of d = key - query in tokens: a full block every d, a band |d| <= band; causality
// removes d > 0. Within a cell d takes 2 block - 1 values. The cell is FULL if the interval has all of them, and is
// removed if it has none. Cells without such an interval are written token by token, as BITS.
#include "graph/build.h"

#include "base/memory.h"
#include "graph/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gw_status gw_block_lists_put(gw_block_lists *lists, int64_t block, int64_t reads) {
    GW_TRY(gw_reserve(&lists->listed, &lists->capacity, lists->count + 1, sizeof *lists->listed));
    lists->listed[lists->count++] = (gw_listed_block){(int32_t)block, (int32_t)reads};
    return GW_OK;
}

gw_status gw_block_lists_end_row(gw_block_lists *lists) {
    GW_TRY(gw_reserve(&lists->row_end, &lists->row_capacity, lists->rows + 1, sizeof *lists->row_end));
    lists->row_end[lists->rows++] = lists->count;
    return GW_OK;
}

gw_status gw_block_lists_add(gw_block_lists *lists, const int32_t *row, int64_t count) {
    for (int64_t k = 0; k < count; k++) GW_TRY(gw_block_lists_put(lists, row[k], GW_READS_ALL));
    return gw_block_lists_end_row(lists);
}

gw_status gw_block_lists_bits(gw_block_lists *lists, int64_t *index) {
    const int64_t words = gw_graph_words(lists->block);
    GW_TRY(gw_reserve(&lists->bits, &lists->bit_capacity, (lists->bit_cells + 1) * words, sizeof *lists->bits));
    memset(lists->bits + lists->bit_cells * words, 0, (size_t)words * sizeof *lists->bits);
    *index = lists->bit_cells++;
    return GW_OK;
}

void gw_block_lists_set(gw_block_lists *lists, int64_t index, int64_t i, int64_t j) {
    const int64_t bit = i * lists->block + j;
    lists->bits[index * gw_graph_words(lists->block) + bit / 64] |= 1ull << bit % 64;
}

void gw_block_lists_free(gw_block_lists *lists) {
    free(lists->row_end);
    free(lists->listed);
    free(lists->bits);
    *lists = (gw_block_lists){0};
}

// All listings of a block in a row, and the first d of its cell.
typedef struct {
    gw_block_lists *lists;
    const gw_listed_block *listed;
    int64_t count, first;
} listings;

typedef struct {
    int32_t block, bits, times; // times: how often it is listed whole, at least 1
    gw_edge_kind kind;
} cell;

typedef struct {
    int64_t low, high;
} interval;

static interval allowed(const gw_block_lists *lists, int32_t reads) {
    const int64_t reach = reads == GW_READS_BAND ? lists->band : INT64_MAX / 2;
    return (interval){-reach, lists->causal ? 0 : reach};
}

static bool has_all(const listings *of, interval allowed) {
    return allowed.low <= of->first && of->first + 2 * (of->lists->block - 1) <= allowed.high;
}

// Whether one of the listings lets query i read key j.
static bool reads(const listings *of, int64_t i, int64_t j) {
    const int64_t block = of->lists->block, d = of->first + block - 1 + j - i;
    for (int64_t k = 0; k < of->count; k++) {
        const interval may = allowed(of->lists, of->listed[k].reads);
        if (d < may.low || d > may.high) continue;
        if (of->listed[k].reads < 0) return true;
        const uint64_t *bits = of->lists->bits + of->listed[k].reads * gw_graph_words(block);
        if (bits[(i * block + j) / 64] >> (i * block + j) % 64 & 1) return true;
    }
    return false;
}

// A cell that no interval describes. Bits that stand alone are taken as they are, so that cells share them; new ones
// that say what no bits would are forgotten.
static gw_status make_bits(const listings *of, cell *made, bool *keeps) {
    int64_t index = of->listed[0].reads;
    const bool shared = of->count == 1 && has_all(of, allowed(of->lists, made->bits));
    const int64_t block = of->lists->block, words = gw_graph_words(block);
    if (!shared) {
        GW_TRY(gw_block_lists_bits(of->lists, &index));
        for (int64_t i = 0; i < block; i++)
            for (int64_t j = 0; j < block; j++)
                if (reads(of, i, j)) gw_block_lists_set(of->lists, index, i, j);
    }
    int64_t count = 0;
    for (int64_t w = 0; w < words; w++) count += __builtin_popcountll(of->lists->bits[index * words + w]);
    *keeps = count > 0;
    made->kind = count == block * block ? GW_EDGE_FULL : GW_EDGE_BITS;
    made->bits = (int32_t)index;
    if (!shared && (count == 0 || count == block * block)) of->lists->bit_cells--;
    return GW_OK;
}

static gw_status make_cell(const listings *of, cell *made, bool *keeps) {
    int32_t whole = 0, bits = 0;
    for (int64_t k = 0; k < of->count; k++) {
        whole += of->listed[k].reads == GW_READS_ALL;
        bits += of->listed[k].reads >= 0;
    }
    const interval may = allowed(of->lists, whole > 0 ? GW_READS_ALL : of->listed[0].reads);
    *made = (cell){.block = of->listed[0].block, .bits = of->listed[0].reads, .times = whole > 0 ? whole : 1};
    if (whole == 0 && bits > 0) return make_bits(of, made, keeps);
    *keeps = may.low <= of->first + 2 * (of->lists->block - 1) && of->first <= may.high;
    made->kind = has_all(of, may) ? GW_EDGE_FULL : whole > 0 ? GW_EDGE_CAUSAL : GW_EDGE_BAND;
    return GW_OK;
}

static int compare_listed(const void *a, const void *b) {
    const gw_listed_block *x = a, *y = b;
    return (x->block > y->block) - (x->block < y->block);
}

// The cells of all rows; row_end[] becomes the rows' ends among them.
static gw_status make_cells(gw_block_lists *lists, cell *cells, int64_t *count) {
    for (int64_t r = 0, begin = 0, end; r < lists->rows; r++, begin = end) {
        end = lists->row_end[r];
        qsort(lists->listed + begin, (size_t)(end - begin), sizeof *lists->listed, compare_listed);
        for (int64_t k = begin, next; k < end; k = next) {
            const gw_listed_block *listed = lists->listed;
            for (next = k + 1; next < end && listed[next].block == listed[k].block;) next++;
            const int64_t apart = (listed[k].block - r) * lists->block - lists->offset;
            const listings of = {lists, listed + k, next - k, apart - lists->block + 1};
            bool keeps;
            GW_TRY(make_cell(&of, &cells[*count], &keeps));
            *count += keeps;
        }
        lists->row_end[r] = *count;
    }
    return GW_OK;
}

// A graph on its way, and the one piece of memory that its arrays will lie in.
typedef struct {
    gw_graph graph; // first: gw_graph_free() finds the rest behind it
    gw_arena arena;
    int64_t *row_start, *column_start, *edge, *bits_index;
    int32_t *column, *row;
    uint8_t *kind;
    float *log_multiplicity;
    uint64_t *bits;
    const gw_backend *kernels; // of `device`
    void *device;              // the arrays again, which `graph` points to then; or NULL
} owned_graph;

// What the graph's optional arrays are for.
typedef struct {
    bool repeats, kinds, bits;
} needs;

static void place_arrays(owned_graph *g, const gw_block_lists *lists, int64_t edges, needs need) {
    g->row_start = gw_arena_alloc(&g->arena, lists->rows + 1, sizeof *g->row_start);
    g->column_start = gw_arena_alloc(&g->arena, lists->blocks + 1, sizeof *g->column_start);
    g->column = gw_arena_alloc(&g->arena, edges, sizeof *g->column);
    g->row = gw_arena_alloc(&g->arena, edges, sizeof *g->row);
    g->edge = gw_arena_alloc(&g->arena, edges, sizeof *g->edge);
    if (need.repeats) g->log_multiplicity = gw_arena_alloc(&g->arena, edges, sizeof *g->log_multiplicity);
    if (need.kinds) g->kind = gw_arena_alloc(&g->arena, edges, sizeof *g->kind);
    if (!need.bits) return;
    g->bits_index = gw_arena_alloc(&g->arena, edges, sizeof *g->bits_index);
    g->bits = gw_arena_alloc(&g->arena, lists->bit_cells * gw_graph_words(lists->block), sizeof *g->bits);
}

// Edges by column: counts, their running sums, then every edge to its slot. Rows come in order, so that the rows of a
// column do too. column_start[c + 1] serves as column c's next free slot meanwhile, one step behind its final value.
static void fill_columns(owned_graph *g, int64_t rows, int64_t columns, int64_t edges) {
    int64_t *start = g->column_start;
    for (int64_t e = 0; e < edges; e++)
        if (g->column[e] + 2 <= columns) start[g->column[e] + 2]++;
    for (int64_t c = 1; c <= columns; c++) start[c] += start[c - 1];
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t e = g->row_start[r]; e < g->row_start[r + 1]; e++) {
            const int64_t slot = start[g->column[e] + 1]++;
            g->row[slot] = (int32_t)r;
            g->edge[slot] = e;
        }
    }
}

static gw_status build(owned_graph *g, gw_block_lists *lists, cell *cells) {
    int64_t edges = 0;
    GW_TRY(make_cells(lists, cells, &edges));
    needs need = {0};
    for (int64_t e = 0; e < edges; e++) {
        need.repeats |= cells[e].times > 1;
        need.kinds |= cells[e].kind != GW_EDGE_FULL;
        need.bits |= cells[e].kind == GW_EDGE_BITS;
    }
    place_arrays(g, lists, edges, need);
    GW_TRY(gw_arena_place(&g->arena));
    place_arrays(g, lists, edges, need);
    for (int64_t r = 0; r < lists->rows; r++) g->row_start[r + 1] = lists->row_end[r];
    for (int64_t e = 0; e < edges; e++) {
        g->column[e] = cells[e].block;
        if (g->kind) g->kind[e] = (uint8_t)cells[e].kind;
        if (g->log_multiplicity) g->log_multiplicity[e] = logf((float)cells[e].times);
        if (g->bits && cells[e].kind == GW_EDGE_BITS) g->bits_index[e] = cells[e].bits;
    }
    if (g->bits)
        memcpy(g->bits, lists->bits, (size_t)(lists->bit_cells * gw_graph_words(lists->block)) * sizeof *g->bits);
    fill_columns(g, lists->rows, lists->blocks, edges);
    g->graph = (gw_graph){.block = lists->block,
                          .query_blocks = (int32_t)lists->rows,
                          .key_blocks = (int32_t)lists->blocks,
                          .offset = lists->offset,
                          .before = lists->band,
                          .after = lists->causal ? 0 : lists->band,
                          .edges = edges,
                          .row_start = g->row_start,
                          .column = g->column,
                          .kind = g->kind,
                          .log_multiplicity = g->log_multiplicity,
                          .bits = g->bits,
                          .bits_index = g->bits_index,
                          .column_start = g->column_start,
                          .row = g->row,
                          .edge = g->edge};
    return GW_OK;
}

gw_status gw_graph_build(gw_block_lists *lists, gw_graph **out) {
    *out = NULL;
    owned_graph *g = gw_alloc(1, sizeof *g);
    cell *cells = gw_alloc(lists->count, sizeof *cells);
    const gw_status status = g && cells ? build(g, lists, cells) : GW_ERR_MEMORY;
    free(cells);
    if (status == GW_OK) *out = &g->graph;
    else if (g) gw_graph_free(&g->graph);
    return status;
}

int64_t gw_graph_bytes(const gw_graph *graph) {
    return ((const owned_graph *)graph)->arena.size;
}

static const void *moved(const owned_graph *g, const void *array) {
    return array ? (const char *)g->device + ((const char *)array - g->arena.memory) : NULL;
}

gw_status gw_graph_to_device(gw_graph *graph, const gw_backend *kernels) {
    owned_graph *g = (owned_graph *)graph;
    if (kernels->shares_host) return GW_OK;
    g->kernels = kernels;
    GW_TRY(kernels->allocate(g->arena.size, &g->device));
    GW_TRY(kernels->to_device(g->device, g->arena.memory, g->arena.size));
    graph->row_start = moved(g, graph->row_start);
    graph->column = moved(g, graph->column);
    graph->kind = moved(g, graph->kind);
    graph->log_multiplicity = moved(g, graph->log_multiplicity);
    graph->bits = moved(g, graph->bits);
    graph->bits_index = moved(g, graph->bits_index);
    graph->column_start = moved(g, graph->column_start);
    graph->row = moved(g, graph->row);
    graph->edge = moved(g, graph->edge);
    return GW_OK;
}

void gw_graph_free(gw_graph *graph) {
    owned_graph *g = (owned_graph *)graph;
    if (!g) return;
    if (g->device) g->kernels->release(g->device);
    gw_arena_free(&g->arena);
    free(g);
}
