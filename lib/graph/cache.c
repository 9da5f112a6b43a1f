// SPDX-License-Identifier: MIT
// Graphs by (number of blocks, layer). Where nothing is random, one graph serves all layers and heads of that length.
#include "graph/pattern.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct gw_graph_cache {
    gw_pattern pattern;
    int layers, heads;
    int64_t max_positions;
    // [lengths][layers] graphs of the heads, NULL where not made yet; entry of b blocks starts at b * layers
    gw_graph ***entry;
    int64_t entries, capacity;
};

gw_status gw_graph_cache_new(const gw_pattern *pattern, int layers, int heads, int64_t max_positions,
                             gw_graph_cache **out) {
    gw_graph_cache *cache = gw_alloc(1, sizeof *cache);
    *out = cache;
    if (!cache) return GW_ERR_MEMORY;
    cache->pattern = *pattern;
    cache->layers = layers;
    cache->heads = heads;
    cache->max_positions = max_positions;
    return GW_OK;
}

static gw_status grow(gw_graph_cache *cache, int64_t entries) {
    if (entries <= cache->entries) return GW_OK;
    GW_TRY(gw_reserve(&cache->entry, &cache->capacity, entries, sizeof *cache->entry));
    memset(cache->entry + cache->entries, 0, (size_t)(entries - cache->entries) * sizeof *cache->entry);
    cache->entries = entries;
    return GW_OK;
}

static gw_status make_entry(const gw_graph_cache *cache, int64_t tokens, int layer, bool shared, gw_graph ***entry) {
    gw_graph **graphs = gw_alloc(shared ? 1 : cache->heads, sizeof *graphs);
    if (!graphs) return GW_ERR_MEMORY;
    const gw_status status =
        shared ? gw_pattern_graph(&cache->pattern, tokens, 0, 0, 1, cache->max_positions, graphs)
               : gw_pattern_layer(&cache->pattern, tokens, layer, cache->heads, cache->max_positions, graphs);
    if (status == GW_OK) *entry = graphs;
    else free(graphs);
    return status;
}

static bool is_shared(const gw_pattern *pattern, int64_t tokens) {
    return pattern->random == 0 || gw_pattern_is_full(pattern, tokens);
}

gw_status gw_graph_cache_get(gw_graph_cache *cache, int64_t tokens, int layer, const gw_graph *const **graphs,
                             int *step) {
    if (tokens < 1 || layer < 0 || layer >= cache->layers)
        return gw_fail(GW_ERR_RANGE, "no attention graph for %lld tokens in layer %d of %d", (long long)tokens, layer,
                       cache->layers);
    const int64_t blocks = gw_pattern_blocks(&cache->pattern, tokens);
    const bool shared = is_shared(&cache->pattern, tokens);
    GW_TRY(grow(cache, (blocks + 1) * cache->layers));
    gw_graph ***entry = &cache->entry[blocks * cache->layers + (shared ? 0 : layer)];
    if (!*entry) GW_TRY(make_entry(cache, tokens, layer, shared, entry));
    *graphs = (const gw_graph *const *)*entry;
    *step = shared ? 0 : 1;
    return GW_OK;
}

void gw_graph_cache_free(gw_graph_cache *cache) {
    if (!cache) return;
    for (int64_t i = 0; i < cache->entries; i++) {
        if (!cache->entry[i]) continue;
        // whether an entry holds one graph or one per head follows from its number of blocks alone
        const bool shared = is_shared(&cache->pattern, i / cache->layers * cache->pattern.block);
        for (int h = 0; h < (shared ? 1 : cache->heads); h++) gw_graph_free(cache->entry[i][h]);
        free(cache->entry[i]);
    }
    free(cache->entry);
    free(cache);
}
