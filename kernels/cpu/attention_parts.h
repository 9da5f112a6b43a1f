// SPDX-License-Identifier: MIT
// The work of attention's backward pass: each head of each sequence in parts, ranges of key blocks, that add to rows of
// dq of their own. How many parts a head has depends on the shape of the work alone, so that sums do too.
#ifndef GW_KERNELS_CPU_ATTENTION_PARTS_H
#define GW_KERNELS_CPU_ATTENTION_PARTS_H

#include "kernels/cpu/attention_room.h"

enum { GW_ATTENTION_PARTS = 24 }; // at least so many in all, for threads to share; at most of a head

typedef struct {
    int32_t sequence, head;
    int64_t begin, end; // key blocks
    int64_t first_row;  // of the part's rows in the room's `partial`: one for each query of the sequence
    int64_t edges;
} gw_attention_part;

typedef struct {
    gw_attention_part *ordered; // [sequences][heads][of_head]
    gw_attention_part *list;    // the same in the order of work
    int64_t *group; // [groups + 1] first part of each group in `list`; one thread does a group's parts in turn
    int64_t count, groups;
    int of_head;
    int64_t width; // numbers of a row of dq: the head size in whole vectors
} gw_attention_parts;

// In the room's lists. Where sequences share the gradient of a bias, a group has the parts that add to the same edges.
gw_attention_parts gw_attention_parts_make(const gw_attention_args *args);
int64_t gw_attention_parts_bytes(const gw_attention_args *args);
// Most parts of a head.
int gw_attention_most_parts(int heads);

#endif
