// SPDX-License-Identifier: MIT
// The work of attention's backward pass: each head of each sequence in parts, ranges of key blocks, that add to rows of
// dq of their own. How many parts a head has depends on the shape of the work alone, so that sums do too.
#ifndef GW_KERNELS_CPU_ATTENTION_PARTS_H
#define GW_KERNELS_CPU_ATTENTION_PARTS_H

#include "kernels/cpu/attention_workspace.h"

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
