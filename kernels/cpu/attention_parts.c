// SPDX-License-Identifier: MIT
// Cuts heads into parts by the edges that they hold.
#include "kernels/cpu/attention_parts.h"

#include "kernels/cpu/attention_work.h"

// Ranges are those of the graph, whatever the sequence fills of it.
static gw_attention_part make_part(const gw_attention_args *args, int s, int head, int index, int of_head) {
    const gw_graph *graph = gw_graph_of(&args->sequence[s], head);
    const int64_t rows = gw_blocks_with_rows(&args->sequence[s], graph, GW_BY_KEYS), blocks = graph->key_blocks;
    const int64_t begin = blocks * index / of_head, end = blocks * (index + 1) / of_head;
    gw_attention_part part = {
        .sequence = s, .head = head, .begin = begin < rows ? begin : rows, .end = end < rows ? end : rows};
    part.edges = graph->column_start[part.end] - graph->column_start[part.begin];
    return part;
}

static void make_ordered(const gw_attention_args *args, gw_attention_parts *parts) {
    int64_t row = 0, at = 0;
    for (int s = 0; s < args->sequences; s++)
        for (int head = 0; head < args->heads; head++)
            for (int index = 0; index < parts->of_head; index++) {
                gw_attention_part *part = &parts->ordered[at++];
                *part = make_part(args, s, head, index, parts->of_head);
                part->first_row = row;
                row += args->sequence[s].query_count;
            }
}

static void order_by_work(gw_attention_parts *parts, gw_work_key *keys) {
    for (int64_t i = 0; i < parts->count; i++) keys[i] = (gw_work_key){parts->ordered[i].edges, i};
    gw_work_sort(keys, keys + parts->count, parts->count);
    for (int64_t i = 0; i < parts->count; i++) parts->list[i] = parts->ordered[keys[i].index];
}

gw_attention_parts gw_attention_parts_make(const gw_attention_args *args) {
    const int64_t heads = (int64_t)args->sequences * args->heads;
    gw_attention_parts parts = {.of_head = gw_attention_parts_of_head(heads),
                                .width = gw_attention_width(args->head_size)};
    parts.count = heads * parts.of_head;
    parts.ordered = (gw_attention_part *)gw_attention_workspace_of(args)->lists;
    parts.list = parts.ordered + parts.count;
    make_ordered(args, &parts);
    order_by_work(&parts, (gw_work_key *)(parts.list + parts.count));
    return parts;
}
