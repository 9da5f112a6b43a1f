// SPDX-License-Identifier: MIT
// Graphs by (number of blocks, kind). Kind 0 is full attention, one graph for all layers and heads; kind 1 + l holds
// the graphs of layer l's heads, or, where layers and heads do not differ, the one graph of all of them.
#include "graph/pattern.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct gw_graph_cache {
    gw_pattern pattern;
    const gw_layout *layout; // or NULL
    int layers, heads;
    int64_t max_positions;
    gw_graph ***entry; // [lengths][1 + layers] graphs of the heads, NULL where not made yet
    int64_t entries, capacity;
    int64_t bytes; // of all graphs
};

gw_status gw_graph_cache_new(const gw_pattern *pattern, const gw_layout *layout, int layers, int heads,
                             int64_t max_positions, gw_graph_cache **out) {
    *out = NULL;
    if (layout && (layout->layers != layers || layout->heads != heads))
        return gw_fail(GW_ERR_MISMATCH,
                       "the checkpoint's layout is of %d layers with %d heads, the model has %d with %d",
                       layout->layers, layout->heads, layers, heads);
    gw_graph_cache *cache = gw_alloc(1, sizeof *cache);
    if (!cache) return GW_ERR_MEMORY;
    cache->pattern = *pattern;
    cache->layout = layout;
    cache->layers = layers;
    cache->heads = heads;
    cache->max_positions = max_positions;
    *out = cache;
    return GW_OK;
}

static gw_status grow(gw_graph_cache *cache, int64_t entries) {
    if (entries <= cache->entries) return GW_OK;
    GW_TRY(gw_reserve(&cache->entry, &cache->capacity, entries, sizeof *cache->entry));
    memset(cache->entry + cache->entries, 0, (size_t)(entries - cache->entries) * sizeof *cache->entry);
    cache->entries = entries;
    return GW_OK;
}

static bool is_full(const gw_graph_cache *cache, int64_t tokens) {
    return cache->layout ? cache->pattern.full : gw_pattern_is_full(&cache->pattern, tokens);
}

static bool differs_by_head(const gw_graph_cache *cache) {
    return cache->layout || gw_pattern_differs_by_head(&cache->pattern);
}

static int graphs_of(const gw_graph_cache *cache, bool shared) {
    return shared ? 1 : cache->heads;
}

static gw_status make_entry(gw_graph_cache *cache, int64_t tokens, int layer, bool shared, gw_graph ***entry) {
    gw_graph **graphs = gw_alloc(graphs_of(cache, shared), sizeof *graphs);
    if (!graphs) return GW_ERR_MEMORY;
    const gw_pattern *pattern = &cache->pattern;
    gw_status status;
    if (shared) status = gw_pattern_graph(pattern, tokens, 0, 0, 1, cache->max_positions, graphs);
    else if (cache->layout)
        status = gw_layout_layer(cache->layout, pattern->block, gw_pattern_blocks(pattern, tokens), layer, graphs);
    else status = gw_pattern_layer(pattern, tokens, layer, cache->heads, cache->max_positions, graphs);
    for (int h = 0; status == GW_OK && h < graphs_of(cache, shared); h++) cache->bytes += gw_graph_bytes(graphs[h]);
    if (status == GW_OK) *entry = graphs;
    else free(graphs);
    return status;
}

gw_status gw_graph_cache_get(gw_graph_cache *cache, int64_t tokens, int layer, const gw_graph *const **graphs,
                             int *step) {
    if (tokens < 1 || layer < 0 || layer >= cache->layers)
        return gw_fail(GW_ERR_RANGE, "no attention graph for %lld tokens in layer %d of %d", (long long)tokens, layer,
                       cache->layers);
    const int64_t blocks = gw_pattern_blocks(&cache->pattern, tokens), kinds = 1 + cache->layers;
    const bool full = is_full(cache, tokens), shared = full || !differs_by_head(cache);
    GW_TRY(grow(cache, (blocks + 1) * kinds));
    gw_graph ***entry = &cache->entry[blocks * kinds + (full ? 0 : shared ? 1 : 1 + layer)];
    if (!*entry) GW_TRY(make_entry(cache, tokens, layer, shared, entry));
    *graphs = (const gw_graph *const *)*entry;
    *step = shared ? 0 : 1;
    return GW_OK;
}

void gw_graph_cache_trim(gw_graph_cache *cache, int64_t most) {
    if (cache->bytes <= most) return;
    for (int64_t i = 0; i < cache->entries; i++) {
        const bool shared = i % (1 + cache->layers) == 0 || !differs_by_head(cache);
        for (int h = 0; cache->entry[i] && h < graphs_of(cache, shared); h++) gw_graph_free(cache->entry[i][h]);
        free(cache->entry[i]);
        cache->entry[i] = NULL;
    }
    cache->bytes = 0;
}

int64_t gw_graph_cache_bytes(const gw_graph_cache *cache) {
    return cache->bytes;
}

void gw_graph_cache_free(gw_graph_cache *cache) {
    if (!cache) return;
    gw_graph_cache_trim(cache, 0);
    free(cache->entry);
    free(cache);
}
