// SPDX-License-Identifier: MIT
// A stable merge sort from the bottom up, which takes no memory of its own as qsort() does.
#include "kernels/cpu/attention_work.h"

#include "base/parallel.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// to[begin .. end) = the sorted runs [begin, middle) and [middle, end) of from, merged.
static void merge(gw_work_key *to, const gw_work_key *from, int64_t begin, int64_t middle, int64_t end) {
    int64_t left = begin, right = middle;
    for (int64_t i = begin; i < end; i++) {
        const bool takes_left = left < middle && (right == end || from[left].cells >= from[right].cells);
        to[i] = takes_left ? from[left++] : from[right++];
    }
}

void gw_work_sort(gw_work_key *key, gw_work_key *spare, int64_t count) {
    gw_work_key *from = key, *to = spare;
    for (int64_t run = 1; run < count; run *= 2) {
        for (int64_t begin = 0; begin < count; begin += 2 * run)
            merge(to, from, begin, least(begin + run, count), least(begin + 2 * run, count));
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

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

// Sequences share no queries, and each may end in a block that is not full.
int64_t gw_attention_most_items(const gw_attention_args *args) {
    return args->heads * (args->query_rows / args->block + args->sequences);
}

int gw_attention_parts_of_head(int64_t heads) {
    return heads >= GW_ATTENTION_PARTS ? 1 : (int)((GW_ATTENTION_PARTS + heads - 1) / heads);
}

static int64_t items_bytes(const gw_attention_args *args) {
    return gw_attention_most_items(args) * 2 * (int64_t)(sizeof(gw_attention_item) + sizeof(gw_work_key));
}

// Fewer sequences have more parts a head, but never so many more that they are not fewer in all, or GW_ATTENTION_PARTS.
static int64_t parts_bytes(const gw_attention_args *args) {
    const int64_t most = (int64_t)args->sequences * args->heads + GW_ATTENTION_PARTS;
    return most * 2 * (int64_t)(sizeof(gw_attention_part) + sizeof(gw_work_key));
}

static int64_t in_lines(int64_t floats) {
    return gw_attention_width(floats);
}

// Forward: keys as pairs along the head, values as pairs of rows, where an odd last row of a block takes a whole row's
// room. Backward: queries and gradients as pairs along the head and as pairs of rows.
static int64_t pairs_size(const gw_attention_args *args, bool backward) {
    const int64_t pairs = (args->head_size + 1) / 2;
    return args->heads * (pairs + args->head_size) * (backward ? 2 * args->query_rows : args->key_rows);
}

// Of the forward pass a thread has the terms of a block of queries, of global ones and of others.
static capacity_sizes sizes_of(const gw_attention_args *args, const gw_relative_attention_args *relative,
                               bool backward) {
    const int64_t work = items_bytes(args), parts = backward ? parts_bytes(args) : 0;
    const int64_t ids = gw_attention_ids(relative), rows = args->heads * args->query_rows;
    const int64_t of_head = gw_attention_parts_of_head(args->heads);
    const bool pairs = args->precision == GW_BF16 && !relative;
    capacity_sizes sizes = {.pairs = pairs ? in_lines(pairs_size(args, backward)) : 0,
                            .lists = in_lines(larger(work, parts) / (int64_t)sizeof(float) + 1),
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

// Counts the edges of every item, and sorts the items so that the longest start first.

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

// Cuts heads into parts by the edges that they hold.

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
