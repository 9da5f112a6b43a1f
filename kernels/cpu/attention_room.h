// SPDX-License-Identifier: MIT
// The scratch memory of attention, as its launchers lay it out, in whole lines of the cache:
//
//   forward    pairs | lists of work | tiles of each thread
//   backward   pairs | lists of work | delta | partial | tiles of each thread
//
// Each part is as long as the arguments ask for, so that memory for the largest ones has room for all.
#ifndef GW_KERNELS_CPU_ATTENTION_ROOM_H
#define GW_KERNELS_CPU_ATTENTION_ROOM_H

#include "kernels/kernel.h"

// The arguments with what lies in their scratch memory; inner parts are given `args`, and find it by
// gw_attention_room_of().
typedef struct {
    gw_attention_args args;
    float *pairs;   // products' operands as pairs of bf16; NULL: they are of f32
    char *lists;    // attention_work.h, attention_parts.h
    float *delta;   // backward: [H][query_rows]
    float *partial; // backward: rows of dq of each part
    float *tiles;   // [threads][gw_attention_thread_scratch()]
} gw_attention_room;

gw_attention_room gw_attention_room_make(const gw_attention_args *args, bool backward);
// Floats of scratch memory for gw_threads() threads.
int64_t gw_attention_room_size(const gw_attention_args *args, bool backward);

static inline const gw_attention_room *gw_attention_room_of(const gw_attention_args *args) {
    return (const gw_attention_room *)args;
}

#endif
