// SPDX-License-Identifier: MIT
// Counts the edges of every item, and sorts the items so that the longest start first.
#include "kernels/cpu/attention_work.h"

#include "base/memory.h"

#include <stdlib.h>

// Falling in edges, then in the order of memory.
static int compare_items(const void *left, const void *right) {
    const gw_attention_item *a = left, *b = right;
    if (a->edges != b->edges) return a->edges > b->edges ? -1 : 1;
    if (a->sequence != b->sequence) return a->sequence < b->sequence ? -1 : 1;
    if (a->head != b->head) return a->head < b->head ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

int64_t gw_blocks_with_rows(const gw_attention_sequence *sequence, const gw_graph *graph, gw_attention_side side) {
    const int64_t rows = side == GW_BY_QUERIES ? sequence->query_count : sequence->key_count;
    const int64_t blocks = (rows + graph->block - 1) / graph->block;
    const int64_t listed = side == GW_BY_QUERIES ? graph->query_blocks : graph->key_blocks;
    return blocks < listed ? blocks : listed;
}

static int64_t edges_of(const gw_graph *graph, gw_attention_side side, int64_t block) {
    const int64_t *start = side == GW_BY_QUERIES ? graph->row_start : graph->column_start;
    return start[block + 1] - start[block];
}

static void add_blocks(const gw_attention_args *args, gw_attention_side side, int sequence, int head,
                       gw_attention_work *work) {
    const gw_graph *graph = gw_graph_of(&args->sequence[sequence], head);
    const int64_t blocks = gw_blocks_with_rows(&args->sequence[sequence], graph, side);
    for (int64_t block = 0; block < blocks; block++)
        work->items[work->count++] = (gw_attention_item){
            .sequence = sequence, .head = head, .block = (int32_t)block, .edges = edges_of(graph, side, block)};
}

int64_t gw_attention_largest_block(const gw_attention_args *args) {
    int64_t largest = 1;
    for (int s = 0; s < args->sequences; s++)
        for (int head = 0; head < args->heads; head++) {
            const int64_t block = gw_graph_of(&args->sequence[s], head)->block;
            largest = block > largest ? block : largest;
        }
    return largest;
}

static int64_t most_items(const gw_attention_args *args, gw_attention_side side) {
    int64_t items = 0;
    for (int s = 0; s < args->sequences; s++)
        for (int head = 0; head < args->heads; head++)
            items += gw_blocks_with_rows(&args->sequence[s], gw_graph_of(&args->sequence[s], head), side);
    return items;
}

gw_status gw_attention_work_make(const gw_attention_args *args, gw_attention_side side, gw_attention_work *work) {
    *work = (gw_attention_work){.block = gw_attention_largest_block(args)};
    work->items = gw_alloc(most_items(args, side), sizeof *work->items);
    if (!work->items) return GW_ERR_MEMORY;
    for (int head = 0; head < args->heads; head++)
        for (int s = 0; s < args->sequences; s++) add_blocks(args, side, s, head, work);
    qsort(work->items, (size_t)work->count, sizeof *work->items, compare_items);
    return GW_OK;
}
