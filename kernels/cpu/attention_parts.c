// SPDX-License-Identifier: MIT
// Cuts heads into parts by the edges that they hold.
#include "kernels/cpu/attention_parts.h"

#include "base/memory.h"
#include "kernels/cpu/attention_work.h"

#include <stdlib.h>
#include <string.h>

static int parts_of_head(int64_t heads) {
    return heads >= GW_ATTENTION_PARTS ? 1 : (int)((GW_ATTENTION_PARTS + heads - 1) / heads);
}

int gw_attention_most_parts(int heads) {
    return parts_of_head(heads);
}

static bool shares_bias_gradient(const gw_attention_args *args) {
    for (int s = 0; s < args->sequences; s++)
        if (args->sequence[s].bias_gradient) return args->sequences > 1;
    return false;
}

// Ranges are those of the graph, whatever the sequence fills of it: sequences of one graph agree about who adds to a
// edge's gradient.
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

// Falling in edges, then in the order of memory.
static int compare_parts(const void *left, const void *right) {
    const gw_attention_part *a = left, *b = right;
    if (a->edges != b->edges) return a->edges > b->edges ? -1 : 1;
    return (a->first_row > b->first_row) - (a->first_row < b->first_row);
}

static void group_alone(gw_attention_parts *parts) {
    memcpy(parts->list, parts->ordered, (size_t)parts->count * sizeof *parts->list);
    qsort(parts->list, (size_t)parts->count, sizeof *parts->list, compare_parts);
    parts->groups = parts->count;
    for (int64_t i = 0; i <= parts->count; i++) parts->group[i] = i;
}

// The same part of the same head of all sequences is a group.
static void group_sequences(const gw_attention_args *args, gw_attention_parts *parts) {
    parts->groups = (int64_t)args->heads * parts->of_head;
    for (int64_t g = 0; g < parts->groups; g++)
        for (int s = 0; s < args->sequences; s++)
            parts->list[g * args->sequences + s] = parts->ordered[s * parts->groups + g];
    for (int64_t g = 0; g <= parts->groups; g++) parts->group[g] = g * args->sequences;
}

gw_status gw_attention_parts_make(const gw_attention_args *args, gw_attention_parts *parts) {
    const int64_t heads = (int64_t)args->sequences * args->heads;
    *parts = (gw_attention_parts){.of_head = parts_of_head(heads),
                                  .width = gw_attention_width(args->head_size),
                                  .block = gw_attention_largest_block(args)};
    parts->count = heads * parts->of_head;
    parts->ordered = gw_alloc(parts->count, sizeof *parts->ordered);
    parts->list = gw_alloc(parts->count, sizeof *parts->list);
    parts->group = gw_alloc(parts->count + 1, sizeof *parts->group);
    if (!parts->ordered || !parts->list || !parts->group) {
        gw_attention_parts_free(parts);
        return GW_ERR_MEMORY;
    }
    make_ordered(args, parts);
    if (shares_bias_gradient(args)) group_sequences(args, parts);
    else group_alone(parts);
    return GW_OK;
}

void gw_attention_parts_free(gw_attention_parts *parts) {
    free(parts->ordered);
    free(parts->list);
    free(parts->group);
    *parts = (gw_attention_parts){0};
}
