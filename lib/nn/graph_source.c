// SPDX-License-Identifier: MIT
// Graphs by length, kept from step to step. The graph may be that of a longer, padded input, of which the kernels leave
// out what lies past the sequence's end: padding is neither a query nor a key.
#include "nn/graph_source.h"

enum { GRAPH_BYTES = 1 << 28 }; // kept from step to step: ten lengths of 65,536 tokens, all of those up to 8,192

// Nobody else holds graphs of the cache by now.
static gw_status fill(void *context, int layer, const gw_rows *queries, const gw_rows *keys,
                      gw_attention_sequence *sequences) {
    gw_graph_cache *cache = context;
    (void)keys;
    gw_graph_cache_trim(cache, GRAPH_BYTES);
    for (int64_t s = 0; s < queries->sequences; s++) {
        const int64_t padded = queries->pad_to > 0 ? queries->pad_to : queries->start[s + 1] - queries->start[s];
        GW_TRY(gw_graph_cache_get(cache, padded, layer, &sequences[s].graphs, &sequences[s].graph_step));
    }
    return GW_OK;
}

gw_graph_source gw_cached_graphs(gw_graph_cache *cache, int layer, int block) {
    return (gw_graph_source){fill, cache, layer, block};
}
