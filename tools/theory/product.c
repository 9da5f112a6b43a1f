// SPDX-License-Identifier: MIT
// One call of the attention op with arguments for a single head.
#include "tools/theory/product.h"

#include "base/memory.h"
#include "graph/pattern.h"
#include "kernels/backend.h"

#include <stdlib.h>

static gw_status attend(const gw_graph *graph, gw_attention_args *args, int64_t queries, int64_t keys) {
    const gw_attention_sequence sequence = {
        .query_count = queries, .key_count = keys, .graphs = &graph, .graph_step = 0};
    args->sequences = 1, args->sequence = &sequence;
    args->query_rows = queries, args->key_rows = keys;
    args->block = graph->block;
    const gw_backend *backend = gw_kernels();
    if (!backend) return GW_ERR_UNSUPPORTED;
    args->log_sum = gw_alloc(queries, sizeof(float));
    args->scratch = gw_alloc(backend->scratch(GW_OP_attention, args), sizeof(float));
    const gw_status status = args->log_sum && args->scratch ? backend->attention(args) : GW_ERR_MEMORY;
    free(args->log_sum);
    free(args->scratch);
    return status;
}

gw_status gw_product_attention(const gw_graph *graph, int64_t queries, int64_t keys, int width, float scale,
                               const float *query, const float *key, const float *value, float *out) {
    gw_attention_args args = {.heads = 1,
                              .head_size = width,
                              .scale = scale,
                              .query = query,
                              .key = key,
                              .value = value,
                              .query_stride = width,
                              .key_stride = width,
                              .value_stride = width,
                              .out = out,
                              .out_stride = width};
    if (graph) return attend(graph, &args, queries, keys);
    gw_graph *full;
    const gw_pattern pattern = {.full = true, .block = 64};
    const gw_graph_shape shape = {.queries = queries, .keys = keys};
    GW_TRY(gw_pattern_graph(&pattern, &shape, 0, 0, 1, 1, &full));
    const gw_status status = attend(full, &args, queries, keys);
    gw_graph_free(full);
    return status;
}
