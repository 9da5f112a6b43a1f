// SPDX-License-Identifier: MIT
// Counts the edges of every item, and sorts the items so that the longest start first.
#include "kernels/cpu/attention_work.h"

int64_t gw_blocks_with_rows(const gw_attention_sequence *sequence, const gw_graph *graph, gw_attention_side side) {
    const int64_t rows = side == GW_BY_QUERIES ? sequence->query_count : sequence->key_count;
    const int64_t blocks = (rows + graph->block - 1) / graph->block;
    const int64_t listed = side == GW_BY_QUERIES ? graph->query_blocks : graph->key_blocks;
    return blocks < listed ? blocks : listed;
}

static void add_blocks(const gw_attention_args *args, int sequence, int head, gw_attention_item *items,
                       gw_work_key *keys, int64_t *count) {
    const gw_graph *graph = gw_graph_of(&args->sequence[sequence], head);
    const int64_t blocks = gw_blocks_with_rows(&args->sequence[sequence], graph, GW_BY_QUERIES);
    for (int64_t block = 0; block < blocks; block++, ++*count) {
        const int64_t edges = graph->row_start[block + 1] - graph->row_start[block];
        items[*count] =
            (gw_attention_item){.sequence = sequence, .head = head, .block = (int32_t)block, .edges = edges};
        keys[*count] = (gw_work_key){edges, *count};
    }
}

gw_attention_work gw_attention_work_make(const gw_attention_args *args) {
    const int64_t most = gw_attention_most_items(args);
    gw_attention_item *items = (gw_attention_item *)gw_attention_workspace_of(args)->lists, *made = items + most;
    gw_work_key *keys = (gw_work_key *)(made + most);
    int64_t count = 0;
    for (int s = 0; s < args->sequences; s++)
        for (int head = 0; head < args->heads; head++) add_blocks(args, s, head, made, keys, &count);
    gw_work_sort(keys, keys + most, count);
    for (int64_t i = 0; i < count; i++) items[i] = made[keys[i].index];
    return (gw_attention_work){items, count};
}
