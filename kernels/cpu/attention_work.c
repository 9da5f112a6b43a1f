// SPDX-License-Identifier: MIT
// The work of attention: the order of items, scratch memory, items of the forward pass, parts of the backward pass.
#include "kernels/cpu/attention_work.h"

#include "base/number.h"
#include "base/parallel.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// to[begin .. end) = the sorted runs [begin, middle) and [middle, end) of from, merged.
static void merge(gw_work_key *to, const gw_work_key *from, int64_t begin, int64_t middle, int64_t end) {
    int64_t left = begin, right = middle;
    for (int64_t i = begin; i < end; i++) {
        const bool takes_left = left < middle && (right == end || from[left].cells >= from[right].cells);
        to[i] = takes_left ? from[left++] : from[right++];
    }
}

// A stable merge sort from the bottom up, which takes no memory of its own as qsort() does.
void gw_work_sort(gw_work_key *key, gw_work_key *spare, int64_t count) {
    gw_work_key *from = key, *to = spare;
    for (int64_t run = 1; run < count; run *= 2) {
        for (int64_t begin = 0; begin < count; begin += 2 * run)
            merge(to, from, begin, gw_min(begin + run, count), gw_min(begin + 2 * run, count));
        gw_work_key *const sorted = to;
        to = from;
        from = sorted;
    }
    if (from != key) memcpy(key, from, (size_t)count * sizeof *key);
}

// The scratch memory of attention: how large each of its areas is, and where it lies.

// Floats of each part.
typedef struct {
    int64_t pairs, lists, delta, partial, terms, partial_terms, tables, thread;
} capacity_sizes;

// Sequences share no queries, and each may end in a block that is not full.
static int64_t most_items(const gw_attention_args *args) {
    return args->heads * (args->query_rows / args->block + args->sequences);
}

static int parts_of_head(int64_t heads) {
    return heads >= GW_ATTENTION_PARTS ? 1 : (int)((GW_ATTENTION_PARTS + heads - 1) / heads);
}

static int64_t in_lines(int64_t floats) {
    return gw_attention_width(floats);
}

// Of the forward pass a thread has the terms of a block of queries, of global ones and of others.
static capacity_sizes sizes_of(const gw_attention_args *args, const gw_relative_attention_args *relative,
                               bool backward) {
    const int64_t work = most_items(args) * 2 * (int64_t)(sizeof(gw_attention_item) + sizeof(gw_work_key));
    // Fewer sequences have more parts a head, but never so many more that they are not fewer in all, or
    // GW_ATTENTION_PARTS.
    const int64_t most_parts = (int64_t)args->sequences * args->heads + GW_ATTENTION_PARTS;
    const int64_t parts = backward ? most_parts * 2 * (int64_t)(sizeof(gw_attention_part) + sizeof(gw_work_key)) : 0;
    const int64_t ids = gw_attention_ids(relative), rows = args->heads * args->query_rows;
    const int64_t of_head = parts_of_head(args->heads);
    const bool pairs = args->precision == GW_BF16 && !relative;
    // Forward: keys as pairs along the head, values as pairs of rows, where an odd last row of a block takes a whole
    // row's room. Backward: queries and gradients as pairs along the head and as pairs of rows.
    const int64_t pair_floats = args->heads * ((args->head_size + 1) / 2 + args->head_size) *
                                (backward ? 2 * args->query_rows : args->key_rows);
    capacity_sizes sizes = {.pairs = pairs ? in_lines(pair_floats) : 0,
                            .lists = in_lines(gw_max(work, parts) / (int64_t)sizeof(float) + 1),
                            .thread = gw_attention_thread_scratch(args->block, args->head_size)};
    if (!backward) {
        sizes.thread += GW_ATTENTION_TABLES * ids * gw_attention_width(args->block);
        return sizes;
    }
    sizes.delta = in_lines(rows);
    sizes.partial = rows * of_head * gw_attention_width(args->head_size);
    sizes.terms = rows * ids;
    sizes.partial_terms = rows * of_head * ids;
    sizes.tables = GW_ATTENTION_TABLES * args->heads * args->head_size * ids;
    return sizes;
}

gw_attention_workspace gw_attention_workspace_make(const gw_attention_args *args,
                                                   const gw_relative_attention_args *relative, bool backward) {
    const uintptr_t bytes = GW_ATTENTION_ALIGNMENT * sizeof(float);
    const capacity_sizes sizes = sizes_of(args, relative, backward);
    gw_attention_workspace workspace = {.args = *args, .relative = relative, .thread_floats = sizes.thread};
    if (relative) workspace.args.precision = GW_F32;
    workspace.pairs = (float *)(((uintptr_t)args->scratch + bytes - 1) / bytes * bytes);
    float *lists = workspace.pairs + sizes.pairs;
    workspace.lists = (char *)lists;
    workspace.delta = lists + sizes.lists;
    workspace.partial = workspace.delta + sizes.delta;
    workspace.terms = workspace.partial + sizes.partial;
    workspace.partial_terms = workspace.terms + sizes.terms;
    workspace.tables = workspace.partial_terms + sizes.partial_terms;
    workspace.tiles = workspace.tables + sizes.tables;
    if (sizes.pairs == 0) workspace.pairs = NULL;
    return workspace;
}

int64_t gw_attention_workspace_size(const gw_attention_args *args, const gw_relative_attention_args *relative,
                                    bool backward) {
    const capacity_sizes sizes = sizes_of(args, relative, backward);
    return sizes.pairs + sizes.lists + sizes.delta + sizes.partial + sizes.terms + sizes.partial_terms + sizes.tables +
           gw_threads() * sizes.thread + GW_ATTENTION_ALIGNMENT;
}

int64_t gw_blocks_with_rows(const gw_attention_sequence *sequence, const gw_graph *graph, gw_attention_side side) {
    const int64_t rows = side == GW_BY_QUERIES ? sequence->query_count : sequence->key_count;
    const int64_t blocks = (rows + graph->block - 1) / graph->block;
    const int64_t listed = side == GW_BY_QUERIES ? graph->query_blocks : graph->key_blocks;
    return blocks < listed ? blocks : listed;
}

gw_attention_work gw_attention_work_make(const gw_attention_args *args) {
    const int64_t most = most_items(args);
    gw_attention_item *items = (gw_attention_item *)gw_attention_workspace_of(args)->lists, *made = items + most;
    gw_work_key *keys = (gw_work_key *)(made + most);
    int64_t count = 0;
    for (int s = 0; s < args->sequences; s++)
        for (int head = 0; head < args->heads; head++) {
            const gw_graph *graph = gw_graph_of(&args->sequence[s], head);
            const int64_t blocks = gw_blocks_with_rows(&args->sequence[s], graph, GW_BY_QUERIES);
            for (int64_t block = 0; block < blocks; block++, count++) {
                const int64_t edges = graph->row_start[block + 1] - graph->row_start[block];
                made[count] = (gw_attention_item){.sequence = s, .head = head, .block = (int32_t)block, .edges = edges};
                keys[count] = (gw_work_key){edges, count};
            }
        }
    gw_work_sort(keys, keys + most, count);
    for (int64_t i = 0; i < count; i++) items[i] = made[keys[i].index];
    return (gw_attention_work){items, count};
}

gw_attention_parts gw_attention_parts_make(const gw_attention_args *args) {
    const int64_t heads = (int64_t)args->sequences * args->heads;
    gw_attention_parts parts = {.of_head = parts_of_head(heads), .width = gw_attention_width(args->head_size)};
    parts.count = heads * parts.of_head;
    parts.ordered = (gw_attention_part *)gw_attention_workspace_of(args)->lists;
    parts.list = parts.ordered + parts.count;
    gw_work_key *keys = (gw_work_key *)(parts.list + parts.count);
    int64_t row = 0, at = 0;
    for (int s = 0; s < args->sequences; s++)
        for (int head = 0; head < args->heads; head++) {
            // Ranges are those of the graph, whatever the sequence fills of it.
            const gw_graph *graph = gw_graph_of(&args->sequence[s], head);
            const int64_t rows = gw_blocks_with_rows(&args->sequence[s], graph, GW_BY_KEYS), blocks = graph->key_blocks;
            for (int index = 0; index < parts.of_head; index++, at++) {
                gw_attention_part *part = &parts.ordered[at];
                *part = (gw_attention_part){.sequence = s,
                                            .head = head,
                                            .begin = gw_min(blocks * index / parts.of_head, rows),
                                            .end = gw_min(blocks * (index + 1) / parts.of_head, rows),
                                            .first_row = row};
                part->edges = graph->column_start[part->end] - graph->column_start[part->begin];
                keys[at] = (gw_work_key){part->edges, at};
                row += args->sequence[s].query_count;
            }
        }
    gw_work_sort(keys, keys + parts.count, parts.count);
    for (int64_t i = 0; i < parts.count; i++) parts.list[i] = parts.ordered[keys[i].index];
    return parts;
}
