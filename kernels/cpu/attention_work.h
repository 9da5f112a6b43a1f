// SPDX-License-Identifier: MIT
// The work of attention as a list of items that threads take in turn: one block of queries of one head.
//
// Items stand in falling order of their edges, so that the full rows of global blocks start first and no thread is
// left with one at the end.
#ifndef GW_KERNELS_CPU_ATTENTION_WORK_H
#define GW_KERNELS_CPU_ATTENTION_WORK_H

#include "kernels/cpu/attention_workspace.h"
#include "kernels/cpu/work_order.h"

typedef struct {
    gw_attention_item *items; // in the order of work
    int64_t count;
} gw_attention_work;

// One item for each block that holds queries, in the workspace's lists.
gw_attention_work gw_attention_work_make(const gw_attention_args *args);

static inline const gw_graph *gw_graph_of(const gw_attention_sequence *sequence, int head) {
    return sequence->graphs[(int64_t)head * sequence->graph_step];
}

// Rows of a block of `size` that a sequence of `count` rows fills; 0 past its end.
static inline int64_t gw_block_rows(int64_t count, int64_t size, int64_t block) {
    const int64_t left = count - block * size;
    return left <= 0 ? 0 : left < size ? left : size;
}

typedef enum { GW_BY_QUERIES, GW_BY_KEYS } gw_attention_side;

// Blocks of a side that hold rows of the sequence.
int64_t gw_blocks_with_rows(const gw_attention_sequence *sequence, const gw_graph *graph, gw_attention_side side);

// The scratch of one thread, aligned.
static inline float *gw_attention_tiles(const gw_attention_args *args, int thread) {
    const gw_attention_workspace *workspace = gw_attention_workspace_of(args);
    return workspace->tiles + thread * workspace->thread_floats;
}

#endif
