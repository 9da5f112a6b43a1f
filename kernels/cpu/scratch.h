// SPDX-License-Identifier: MIT
// Constants that the CPU's kernels and the sizes of their scratch memory (kernels/backend.c) share.
#ifndef GW_KERNELS_CPU_SCRATCH_H
#define GW_KERNELS_CPU_SCRATCH_H

#include "kernels/kernel.h"

// Sums over rows use fixed runs of rows, so that their order does not depend on the number of threads.
enum { GW_ROW_PARTS = 64 }; // runs; also the most threads that share the work

// Queries and keys in a block of pairs that draw_edges processes together.
enum { GW_DRAW_BLOCK = 64 };

// Scratch memory of landmark_product for a thread and a head.
enum { GW_LANDMARK_ITERATIONS = 12, GW_LANDMARK_SQUARES = 10 };

// Floats of a thread: A; the begin of each iteration; the result of the last; further squares [most][most]; and a
// head's part of the rows, transposed.
static inline int64_t gw_landmark_memory(const gw_landmark_product_args *args) {
    return (GW_LANDMARK_SQUARES + args->iterations + 1) * args->most * args->most + args->most * args->size;
}

// Scratch memory of linear_attention for a thread and a head.
enum { GW_LINEAR_ATTENTION_ROWS = 16 }; // rows processed together

// Floats of a thread: a state [features][size] with its sums, its transpose, some rows of shares with a shift each, and
// their pairs.
static inline int64_t gw_linear_attention_state(const gw_linear_attention_args *args) {
    return args->features * (2 * args->size + 1) + GW_LINEAR_ATTENTION_ROWS * (args->size + 1) +
           GW_LINEAR_ATTENTION_ROWS * GW_LINEAR_ATTENTION_ROWS;
}

#endif
