// SPDX-License-Identifier: MIT
// The scratch memory of attention: how large each of its areas is, and where it lies.
#include "kernels/cpu/attention_workspace.h"

#include "base/parallel.h"

#include <stddef.h>

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
