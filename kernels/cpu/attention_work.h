// SPDX-License-Identifier: MIT
// The work of attention on a processor: the order of its items, the scratch memory of its launchers, and the items that
// threads take in turn in the forward and backward pass.
#ifndef GW_KERNELS_CPU_ATTENTION_WORK_H
#define GW_KERNELS_CPU_ATTENTION_WORK_H

#include "kernels/kernel.h"

#include <stdint.h>

// The order in which items of work start: by descending number of cells, then in their original order. Long items start
// first, so that no thread is left with one at the end.
typedef struct {
    int64_t cells;
    int64_t index; // of the item
} gw_work_key;

// Sorts key[count]; spare[count] is scratch memory.
void gw_work_sort(gw_work_key *key, gw_work_key *spare, int64_t count);

// The scratch memory of attention in the layout of its launchers, in whole cache lines:
//
//   forward    pairs | lists of work | tiles of each thread
//   backward   pairs | lists of work | delta | partial | terms | partial_terms | tables | tiles of each thread
//
// Terms, their parts and tables, and a thread's tiles of terms, exist only for relative attention.
//
// Each part is as long as the arguments need. Memory for the largest arguments fits all.

// A block of work of one head, and a part of the backward pass.
typedef struct {
    int32_t sequence, head;
    int32_t block; // of queries
    int64_t edges;
} gw_attention_item;

typedef struct {
    int32_t sequence, head;
    int64_t begin, end; // key blocks
    int64_t first_row;  // first row of the part in the workspace's `partial`, which has one row for each query of the
                        // sequence
    int64_t edges;
} gw_attention_part;

enum { GW_ATTENTION_PARTS = 24 }; // at least this number in total, to share among threads; at most for each head

// The arguments with the members of their scratch memory. Inner functions get `args` and find the workspace with
// gw_attention_workspace_of().
typedef struct {
    gw_attention_args args;
    float *pairs;                               // operands of products as pairs of bf16; NULL: products are of f32
    char *lists;                                // items with sort keys, or parts
    float *delta;                               // backward: [H][query_rows]
    float *partial;                             // backward: rows of dq of each part
    const gw_relative_attention_args *relative; // NULL: scores have no terms of position
    float *terms;         // backward: [H][query_rows][ids] scale (q . E + b), later the sums of dz by id
    float *partial_terms; // backward: rows of these sums for each part
    float *tables;        // backward: [2][H][D][ids] scale E
    float *tiles;         // [threads][thread_floats]
    int64_t thread_floats;
} gw_attention_workspace;

// relative: the arguments that contain `args`, or NULL. Products of relative attention are f32.
gw_attention_workspace gw_attention_workspace_make(const gw_attention_args *args,
                                                   const gw_relative_attention_args *relative, bool backward);
// Floats of scratch memory for gw_threads() threads.
int64_t gw_attention_workspace_size(const gw_attention_args *args, const gw_relative_attention_args *relative,
                                    bool backward);

// A thread's scratch memory: tiles of [rows][width], width = the block rounded up to whole vectors of any instruction
// set.
enum { GW_ATTENTION_ALIGNMENT = 16 }; // floats
enum { GW_ATTENTION_TABLES = 2 };     // of terms: for long queries and for global queries

static inline int64_t gw_attention_width(int64_t block) {
    return (block + GW_ATTENTION_ALIGNMENT - 1) / GW_ATTENTION_ALIGNMENT * GW_ATTENTION_ALIGNMENT;
}

// Numbers in a row of terms: the ids, rounded up to whole vectors.
static inline int64_t gw_attention_ids(const gw_relative_attention_args *relative) {
    return relative ? gw_attention_width(relative->ids) : 0;
}

// Four tiles of head_size rows, two of block rows, and rows of keys; for bf16 also pairs of two such tiles and of a
// third tile's lanes (attention_backward; forward needs less).
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
// Items are sorted by descending number of edges. The full rows of global blocks start first, so that no thread is left
// with one at the end.

typedef struct {
    gw_attention_item *items; // in working order
    int64_t count;
} gw_attention_work;

// Makes one item for each block with queries, in the workspace's lists.
gw_attention_work gw_attention_work_make(const gw_attention_args *args);

static inline const gw_graph *gw_graph_of(const gw_attention_sequence *sequence, int head) {
    return sequence->graphs[(int64_t)head * sequence->graph_step];
}

// The number of rows that a sequence of `count` rows has in a block of `size`; 0 behind its end.
static inline int64_t gw_block_rows(int64_t count, int64_t size, int64_t block) {
    const int64_t left = count - block * size;
    return left <= 0 ? 0 : left < size ? left : size;
}

typedef enum { GW_BY_QUERIES, GW_BY_KEYS } gw_attention_side;

// The number of blocks of a side with rows of the sequence.
int64_t gw_blocks_with_rows(const gw_attention_sequence *sequence, const gw_graph *graph, gw_attention_side side);

// The aligned scratch memory of one thread.
static inline float *gw_attention_tiles(const gw_attention_args *args, int thread) {
    const gw_attention_workspace *workspace = gw_attention_workspace_of(args);
    return workspace->tiles + thread * workspace->thread_floats;
}

// The work of attention's backward pass. Each head of each sequence is divided into parts, ranges of key blocks, with
// separate rows of dq. The number of parts of a head depends only on the shape of the work, so sums do too.

typedef struct {
    gw_attention_part *ordered; // [sequences][heads][of_head]
    gw_attention_part *list;    // the same in working order
    int64_t count;
    int of_head;
    int64_t width; // numbers in a row of dq: the head size, rounded up to whole vectors
} gw_attention_parts;

// Makes the parts in the workspace's lists.
gw_attention_parts gw_attention_parts_make(const gw_attention_args *args);

#endif
