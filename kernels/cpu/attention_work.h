// SPDX-License-Identifier: MIT
// The work of attention on a processor: the order in which items start, the scratch memory of its launchers, and what
// threads take in turn forward and backward.
#ifndef GW_KERNELS_CPU_ATTENTION_WORK_H
#define GW_KERNELS_CPU_ATTENTION_WORK_H

#include "kernels/kernel.h"

#include <stdint.h>

// The order in which items of work start: falling in cells, so that long ones start first and no thread is left with
// one at the end; else as they stood.
typedef struct {
    int64_t cells;
    int64_t index; // of the item
} gw_work_key;

// Sorts key[count]; spare[count] is memory for it.
void gw_work_sort(gw_work_key *key, gw_work_key *spare, int64_t count);

// The scratch memory of attention, as its launchers lay it out, in whole lines of the cache:
//
//   forward    pairs | lists of work | tiles of each thread
//   backward   pairs | lists of work | delta | partial | terms | partial_terms | tables | tiles of each thread
//
// Terms, their parts and tables are of relative attention alone, and so are a thread's tiles of terms.
//
// Each part is as long as the arguments ask for, so that memory for the largest ones has room for all.

// A block of work of one head, and a part of the backward pass.
typedef struct {
    int32_t sequence, head;
    int32_t block; // of queries
    int64_t edges;
} gw_attention_item;

typedef struct {
    int32_t sequence, head;
    int64_t begin, end; // key blocks
    int64_t first_row;  // of the part's rows in the workspace's `partial`: one for each query of the sequence
    int64_t edges;
} gw_attention_part;

enum { GW_ATTENTION_PARTS = 24 }; // at least so many in all, for threads to share; at most of a head

// The arguments with what lies in their scratch memory; inner parts are given `args`, and find it by
// gw_attention_workspace_of().
typedef struct {
    gw_attention_args args;
    float *pairs;                               // products' operands as pairs of bf16; NULL: they are of f32
    char *lists;                                // of items and keys to sort them by, or of parts
    float *delta;                               // backward: [H][query_rows]
    float *partial;                             // backward: rows of dq of each part
    const gw_relative_attention_args *relative; // NULL: scores have no terms of place
    float *terms;         // backward: [H][query_rows][ids] scale (q . E + b), then the sums of dz by id
    float *partial_terms; // backward: rows of the latter of each part
    float *tables;        // backward: [2][H][D][ids] scale E
    float *tiles;         // [threads][thread_floats]
    int64_t thread_floats;
} gw_attention_workspace;

// relative: the arguments around `args`, or NULL. Products of relative attention are of f32.
gw_attention_workspace gw_attention_workspace_make(const gw_attention_args *args,
                                                   const gw_relative_attention_args *relative, bool backward);
// Floats of scratch memory for gw_threads() threads.
int64_t gw_attention_workspace_size(const gw_attention_args *args, const gw_relative_attention_args *relative,
                                    bool backward);

// A thread's scratch: tiles of [rows][width], width = the block in whole vectors of any instruction set.
enum { GW_ATTENTION_ALIGNMENT = 16 }; // floats
enum { GW_ATTENTION_TABLES = 2 };     // of terms: of long queries and of global ones

static inline int64_t gw_attention_width(int64_t block) {
    return (block + GW_ATTENTION_ALIGNMENT - 1) / GW_ATTENTION_ALIGNMENT * GW_ATTENTION_ALIGNMENT;
}

// Numbers of a row of terms: the ids in whole vectors.
static inline int64_t gw_attention_ids(const gw_relative_attention_args *relative) {
    return relative ? gw_attention_width(relative->ids) : 0;
}

// Four tiles of head_size rows, two of block rows, and rows of keys; for bf16 pairs of two such tiles and of a third's
// lanes (attention_backward; forward needs less).
static inline int64_t gw_attention_thread_scratch(int64_t block, int64_t head_size) {
    const int64_t lanes = gw_attention_width(block), rows = block + (block + 1) / 2 * 2;
    const int64_t halves = gw_attention_width(block * lanes / 2);
    return (4 * head_size + 2 * block) * lanes + rows * gw_attention_width(head_size) + halves;
}

static inline const gw_attention_workspace *gw_attention_workspace_of(const gw_attention_args *args) {
    return (const gw_attention_workspace *)args;
}

// The work of attention as a list of items that threads take in turn: one block of queries of one head.
//
// Items stand in falling order of their edges, so that the full rows of global blocks start first and no thread is
// left with one at the end.

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

// The work of attention's backward pass: each head of each sequence in parts, ranges of key blocks, that add to rows of
// dq of their own. How many parts a head has depends on the shape of the work alone, so that sums do too.

typedef struct {
    gw_attention_part *ordered; // [sequences][heads][of_head]
    gw_attention_part *list;    // the same in the order of work
    int64_t count;
    int of_head;
    int64_t width; // numbers of a row of dq: the head size in whole vectors
} gw_attention_parts;

// In the room's lists.
gw_attention_parts gw_attention_parts_make(const gw_attention_args *args);

#endif
