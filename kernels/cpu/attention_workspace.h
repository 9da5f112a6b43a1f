// SPDX-License-Identifier: MIT
// The scratch memory of attention, as its launchers lay it out, in whole lines of the cache:
//
//   forward    pairs | lists of work | tiles of each thread
//   backward   pairs | lists of work | delta | partial | terms | partial_terms | tables | tiles of each thread
//
// Terms, their parts and tables are of relative attention alone, and so are a thread's tiles of terms.
//
// Each part is as long as the arguments ask for, so that memory for the largest ones has room for all.
#ifndef GW_KERNELS_CPU_ATTENTION_WORKSPACE_H
#define GW_KERNELS_CPU_ATTENTION_WORKSPACE_H

#include "kernels/cpu/work_order.h"
#include "kernels/kernel.h"

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

// Most items of a list, and parts that `heads` heads of all sequences are each cut into.
int64_t gw_attention_most_items(const gw_attention_args *args);
int gw_attention_parts_of_head(int64_t heads);

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

#endif
