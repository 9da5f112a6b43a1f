// SPDX-License-Identifier: MIT
// Graphs of a pattern or a layout, kept by the shape and the layer that they were made for. Full attention is the same
// in all layers and heads, and so is a pattern without anything drawn in all layers that do not read every block.
#include "base/memory.h"
#include "graph/source.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_BYTES = 1 << 28 }; // ten lengths of 65,536 tokens, all of those up to 8,192

enum { EVERY_LAYER = -1, FULL = -2 };

typedef struct {
    int64_t query_blocks, key_blocks, offset;
    int layer;       // or EVERY_LAYER, FULL
    int64_t flags;   // of `global`
    uint8_t *global; // by structure, or NULL
    int heads;       // that have a graph
    gw_graph **graphs;
} entry;

typedef struct pattern_source {
    gw_graph_source source; // first: the interface's functions find the rest behind it
    gw_pattern pattern;
    const gw_layout *layout; // or NULL
    int layers, heads;
    int64_t max_positions;
    void *kept; // entries, a tree of search.h
} pattern_source;

static int compare(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

static int compare_entries(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->key_blocks != y->key_blocks) return compare(x->key_blocks, y->key_blocks);
    if (x->query_blocks != y->query_blocks) return compare(x->query_blocks, y->query_blocks);
    if (x->offset != y->offset) return compare(x->offset, y->offset);
    if (x->layer != y->layer) return compare(x->layer, y->layer);
    if (x->flags != y->flags) return compare(x->flags, y->flags);
    return x->flags > 0 ? memcmp(x->global, y->global, (size_t)x->flags) : 0;
}

static void free_entry(void *freed) {
    entry *e = freed;
    for (int h = 0; e->graphs && h < e->heads; h++) gw_graph_free(e->graphs[h]);
    free(e->graphs);
    free(e->global);
    free(e);
}

// What the request's graphs are kept by; `global` is borrowed.
static entry key_of(const pattern_source *s, const gw_graph_request *request) {
    const gw_graph_shape *shape = &request->shape;
    const gw_pattern own = gw_pattern_of_layer(&s->pattern, request->layer);
    const bool full = s->layout ? s->pattern.full : gw_pattern_is_full(&own, shape->keys);
    const bool shared = full || !(s->layout || gw_pattern_differs_by_head(&own));
    const int of_all = full ? FULL : EVERY_LAYER;
    return (entry){.query_blocks = gw_pattern_blocks(&s->pattern, shape->queries),
                   .key_blocks = gw_pattern_blocks(&s->pattern, shape->keys),
                   .offset = shape->offset,
                   .layer = shared ? of_all : request->layer,
                   .flags = shape->global ? shape->flags : 0,
                   .global = (uint8_t *)shape->global,
                   .heads = shared ? 1 : s->heads};
}

static gw_status make_graphs(const pattern_source *s, const gw_graph_request *request, entry *e) {
    const bool from_layout = s->layout && e->layer != FULL;
    e->graphs = gw_alloc(e->heads, sizeof *e->graphs);
    e->global = gw_alloc(e->flags, 1);
    if (!e->graphs || !e->global) return GW_ERR_MEMORY;
    if (e->flags > 0) memcpy(e->global, request->shape.global, (size_t)e->flags);
    const gw_status status = from_layout ? gw_layout_layer(s->layout, &s->pattern, &request->shape, e->layer, e->graphs)
                                         : gw_pattern_layer(&s->pattern, &request->shape, request->layer, e->heads,
                                                            s->max_positions, e->graphs);
    if (status != GW_OK) e->heads = 0; // none was left
    return status;
}

// Adds the key's entry to those kept.
static gw_status make_entry(pattern_source *s, const gw_graph_request *request, const entry *key, entry **out) {
    entry *e = gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    *e = *key;
    gw_status status = make_graphs(s, request, e);
    for (int h = 0; s->source.kernels && status == GW_OK && h < e->heads; h++)
        status = gw_graph_to_device(e->graphs[h], s->source.kernels);
    if (status == GW_OK && !tsearch(e, &s->kept, compare_entries)) status = gw_fail(GW_ERR_MEMORY, "out of memory");
    if (status != GW_OK) {
        free_entry(e);
        return status;
    }
    for (int h = 0; h < e->heads; h++) s->source.bytes += gw_graph_bytes(e->graphs[h]);
    *out = e;
    return GW_OK;
}

static gw_status get(gw_graph_source *source, const gw_graph_request *request, const gw_graph *const **graphs,
                     int *graph_step) {
    pattern_source *s = (pattern_source *)source;
    if (request->layer < 0 || request->layer >= s->layers)
        return gw_fail(GW_ERR_RANGE, "no attention graph in layer %d of %d", request->layer, s->layers);
    const gw_pattern own = gw_pattern_of_layer(&s->pattern, request->layer);
    GW_TRY(gw_pattern_check(&own, &request->shape));
    const entry key = key_of(s, request);
    void *found = tfind(&key, &s->kept, compare_entries);
    entry *e = found ? *(entry **)found : NULL;
    if (!e) GW_TRY(make_entry(s, request, &key, &e));
    *graphs = (const gw_graph *const *)e->graphs;
    *graph_step = e->layer >= 0;
    return GW_OK;
}

static void forget(pattern_source *s) {
    tdestroy(s->kept, free_entry);
    s->kept = NULL;
    s->source.bytes = 0;
}

static void release_graphs(gw_graph_source *source) {
    if (source->bytes > source->budget) forget((pattern_source *)source);
}

static void free_source(gw_graph_source *source) {
    forget((pattern_source *)source);
    free(source);
}

gw_status gw_pattern_source_new(const gw_pattern *pattern, const gw_layout *layout, int layers, int heads,
                                int64_t max_positions, gw_graph_source **out) {
    *out = NULL;
    if (layout && (layout->layers != layers || layout->heads != heads))
        return gw_fail(GW_ERR_MISMATCH,
                       "the checkpoint's layout is of %d layers with %d heads, the model has %d with %d",
                       layout->layers, layout->heads, layers, heads);
    pattern_source *s = gw_alloc(1, sizeof *s);
    if (!s) return GW_ERR_MEMORY;
    *s = (pattern_source){.source = {get, release_graphs, free_source, pattern->block, .budget = KEPT_BYTES},
                          .pattern = *pattern,
                          .layout = layout,
                          .layers = layers,
                          .heads = heads,
                          .max_positions = max_positions};
    *out = &s->source;
    return GW_OK;
}
