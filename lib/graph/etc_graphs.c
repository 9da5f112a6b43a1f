// SPDX-License-Identifier: MIT
// A tree of graphs by all that decides one: rows, global tokens, segments and parts.
#include "graph/etc_graphs.h"

#include "base/memory.h"
#include "graph/pattern.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

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

static gw_status take_structure(entry *e, const gw_etc_structure *s) {
    const int64_t longs = s->rows - s->globals;
    int32_t *at = e->arrays = gw_alloc(2 * s->globals + longs + 1, sizeof *at);
    if (!at) return GW_ERR_MEMORY;
    e->structure = *s;
    e->structure.segment_begin = copy(&at, s->segment_begin, s->globals);
    e->structure.segment_end = copy(&at, s->segment_end, s->globals);
    if (s->part) e->structure.part = copy(&at, s->part, longs);
    return GW_OK;
}

gw_status gw_etc_graphs_get(gw_etc_graphs *graphs, const gw_etc_structure *structure, gw_graph *const **out) {
    void *found = tfind(structure, &graphs->kept, compare);
    entry *e = found ? *(entry **)found : gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    *out = &e->graph;
    if (found) return GW_OK;
    gw_status status = take_structure(e, structure);
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
