// SPDX-License-Identifier: MIT
// Converts blocks of global and long tokens to block lists. Two blocks of one kind of token are read whole or as a
// band; other cells are written token by token.
#include "graph/etc.h"

#include "base/memory.h"
#include "base/number.h"
#include "graph/build.h"
#include "graph/pattern.h"

#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int64_t divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

int64_t gw_etc_globals(int64_t longs, int64_t segment, int64_t most) {
    return divide_up(longs, gw_max(segment, divide_up(longs, most)));
}

void gw_etc_segments(int64_t longs, int64_t segment, int64_t most, int32_t *begin, int32_t *end) {
    const int64_t each = gw_max(segment, divide_up(longs, most)), globals = divide_up(longs, each);
    for (int64_t g = 0; g < globals; g++) {
        begin[g] = (int32_t)(globals + g * each);
        end[g] = (int32_t)gw_min(globals + (g + 1) * each, globals + longs);
    }
}

static bool in_segment(const gw_etc_structure *s, int64_t global, int64_t other) {
    const int64_t begin = s->segment_begin[global];
    return begin < 0 || (begin <= other && other < s->segment_end[global]);
}

bool gw_etc_reads(const gw_etc_rules *rules, const gw_etc_structure *s, int64_t i, int64_t j) {
    if (i < s->globals) return j < s->globals || !rules->hard || in_segment(s, i, j);
    if (j < s->globals) return !rules->own || in_segment(s, j, i);
    if (s->part && s->part[i - s->globals] != s->part[j - s->globals]) return false;
    return (i > j ? i - j : j - i) <= rules->radius;
}

// Of a block's tokens, none, some or all are global.
typedef enum { NONE, SOME, ALL } share;

static share globals_of(const gw_etc_rules *rules, const gw_etc_structure *s, int64_t block) {
    const int64_t first = block * rules->block, last = gw_min(first + rules->block, s->rows);
    return first >= s->globals ? NONE : last <= s->globals ? ALL : SOME;
}

// A cell token by token, where any is read.
static gw_status put_tokens(const gw_etc_rules *rules, const gw_etc_structure *s, gw_block_lists *lists, int64_t row,
                            int64_t column) {
    const int64_t first = row * rules->block, key = column * rules->block, last = gw_min(first + rules->block, s->rows),
                  last_key = gw_min(key + rules->block, s->rows);
    int64_t index = -1;
    for (int64_t i = first; i < last; i++)
        for (int64_t j = key; j < last_key; j++) {
            if (!gw_etc_reads(rules, s, i, j)) continue;
            if (index < 0) GW_TRY(gw_block_lists_bits(lists, &index));
            gw_block_lists_set(lists, index, i - first, j - key);
        }
    return index < 0 ? GW_OK : gw_block_lists_put(lists, column, index);
}

// Whether two blocks of long tokens are of one part.
static bool one_part(const gw_etc_rules *rules, const gw_etc_structure *s, int64_t row, int64_t column) {
    if (!s->part) return true;
    const int32_t *part = s->part - s->globals, wanted = part[row * rules->block];
    for (int64_t i = 0; i < rules->block; i++) {
        const int64_t a = row * rules->block + i, b = column * rules->block + i;
        if ((a < s->rows && part[a] != wanted) || (b < s->rows && part[b] != wanted)) return false;
    }
    return true;
}

// A row of long tokens alone asks for global blocks and those within the radius; others are asked one by one.
static gw_status put_row(const gw_etc_rules *rules, const gw_etc_structure *s, gw_block_lists *lists, int64_t row) {
    const int64_t globals = divide_up(s->globals, rules->block), reach = divide_up(rules->radius, rules->block);
    const share queries = globals_of(rules, s, row);
    for (int64_t column = 0; column < lists->blocks; column++) {
        if (queries == NONE && column >= globals && (column < row - reach || column > row + reach)) continue;
        const share keys = globals_of(rules, s, column);
        if ((keys == ALL && (queries == ALL || !rules->own)) || (queries == ALL && keys == NONE && !rules->hard))
            GW_TRY(gw_block_lists_put(lists, column, GW_READS_ALL));
        else if (queries == NONE && keys == NONE && one_part(rules, s, row, column))
            GW_TRY(gw_block_lists_put(lists, column, GW_READS_BAND));
        else GW_TRY(put_tokens(rules, s, lists, row, column));
    }
    return gw_block_lists_end_row(lists);
}

gw_status gw_etc_graph(const gw_etc_rules *rules, const gw_etc_structure *structure, gw_graph **out) {
    gw_block_lists lists = {
        .block = rules->block, .blocks = divide_up(structure->rows, rules->block), .band = rules->radius};
    gw_status status = GW_OK;
    *out = NULL;
    for (int64_t row = 0; row < lists.blocks && status == GW_OK; row++) status = put_row(rules, structure, &lists, row);
    if (status == GW_OK) status = gw_graph_build(&lists, out);
    gw_block_lists_free(&lists);
    return status;
}

// Kept graphs are a tree by rows, global tokens, segments and parts.

typedef struct {
    gw_etc_structure structure; // first; a kept one's arrays are its own
    int32_t *arrays;            // those: begins, ends, parts
    gw_graph *graph;
} entry;

static int compare_numbers(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

static int compare_arrays(const int32_t *a, const int32_t *b, int64_t count) {
    return count > 0 ? memcmp(a, b, (size_t)count * sizeof *a) : 0;
}

static int compare(const void *a, const void *b) {
    const gw_etc_structure *x = a, *y = b;
    int order = compare_numbers(x->rows, y->rows);
    if (order == 0) order = compare_numbers(x->globals, y->globals);
    if (order == 0) order = compare_numbers(x->part != NULL, y->part != NULL);
    if (order == 0) order = compare_arrays(x->segment_begin, y->segment_begin, x->globals);
    if (order == 0) order = compare_arrays(x->segment_end, y->segment_end, x->globals);
    return order == 0 && x->part ? compare_arrays(x->part, y->part, x->rows - x->globals) : order;
}

static void free_entry(void *freed) {
    entry *e = freed;
    gw_graph_free(e->graph);
    free(e->arrays);
    free(e);
}

static const int32_t *copy(int32_t **to, const int32_t *from, int64_t count) {
    const int32_t *copied = *to;
    if (count > 0) memcpy(*to, from, (size_t)count * sizeof *from);
    *to += count;
    return copied;
}

gw_status gw_etc_graphs_get(gw_etc_graphs *graphs, const gw_etc_structure *structure, gw_graph *const **out) {
    void *found = tfind(structure, &graphs->kept, compare);
    entry *e = found ? *(entry **)found : gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    *out = &e->graph;
    if (found) return GW_OK;
    const int64_t globals = structure->globals, longs = structure->rows - globals;
    int32_t *at = e->arrays = gw_alloc(2 * globals + longs + 1, sizeof *at);
    gw_status status = at ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) {
        e->structure = *structure;
        e->structure.segment_begin = copy(&at, structure->segment_begin, globals);
        e->structure.segment_end = copy(&at, structure->segment_end, globals);
        if (structure->part) e->structure.part = copy(&at, structure->part, longs);
    }
    if (status == GW_OK) status = gw_etc_graph(&graphs->rules, &e->structure, &e->graph);
    if (status == GW_OK && graphs->kernels) status = gw_graph_to_device(e->graph, graphs->kernels);
    if (status == GW_OK && !tsearch(e, &graphs->kept, compare)) status = gw_fail(GW_ERR_MEMORY, "out of memory");
    if (status != GW_OK) free_entry(e);
    else graphs->bytes += gw_graph_bytes(e->graph);
    return status;
}

void gw_etc_graphs_free(gw_etc_graphs *graphs) {
    tdestroy(graphs->kept, free_entry);
    graphs->kept = NULL;
    graphs->bytes = 0;
}

void gw_etc_graphs_forget(gw_etc_graphs *graphs, int64_t bytes) {
    if (graphs->bytes > bytes) gw_etc_graphs_free(graphs);
}
