// SPDX-License-Identifier: MIT
// The scratch memory of attention: how large each of its areas is, and where it lies.
#include "kernels/cpu/attention_workspace.h"

#include "base/parallel.h"

#include <stddef.h>

// Floats of each part.
typedef struct {
    int64_t pairs, lists, delta, partial;
} capacity_sizes;

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

// Each sequence may end in a block that is not full.
int64_t gw_attention_most_items(const gw_attention_args *args) {
    const int64_t rows = args->query_rows > args->key_rows ? args->query_rows : args->key_rows;
    return args->heads * (rows / args->block + args->sequences);
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
    if (args->precision != GW_BF16) return 0;
    return args->heads * (pairs + args->head_size) * (backward ? 2 * args->query_rows : args->key_rows);
}

static capacity_sizes sizes_of(const gw_attention_args *args, bool backward) {
    const int64_t work = items_bytes(args), parts = backward ? parts_bytes(args) : 0;
    capacity_sizes sizes = {.pairs = in_lines(pairs_size(args, backward)),
                            .lists = in_lines(larger(work, parts) / (int64_t)sizeof(float) + 1)};
    if (!backward) return sizes;
    sizes.delta = in_lines(args->heads * args->query_rows);
    sizes.partial =
        args->query_rows * args->heads * gw_attention_parts_of_head(args->heads) * gw_attention_width(args->head_size);
    return sizes;
}

gw_attention_workspace gw_attention_workspace_make(const gw_attention_args *args, bool backward) {
    const uintptr_t bytes = GW_ATTENTION_ALIGNMENT * sizeof(float);
    const capacity_sizes sizes = sizes_of(args, backward);
    gw_attention_workspace workspace = {.args = *args};
    workspace.pairs = (float *)(((uintptr_t)args->scratch + bytes - 1) / bytes * bytes);
    float *lists = workspace.pairs + sizes.pairs;
    workspace.lists = (char *)lists;
    workspace.delta = lists + sizes.lists;
    workspace.partial = workspace.delta + sizes.delta;
    workspace.tiles = workspace.partial + sizes.partial;
    if (sizes.pairs == 0) workspace.pairs = NULL;
    return workspace;
}

int64_t gw_attention_workspace_size(const gw_attention_args *args, bool backward) {
    const capacity_sizes sizes = sizes_of(args, backward);
    return sizes.pairs + sizes.lists + sizes.delta + sizes.partial +
           gw_threads() * gw_attention_thread_scratch(args->block, args->head_size) + GW_ATTENTION_ALIGNMENT;
}
