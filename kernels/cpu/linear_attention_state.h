// SPDX-License-Identifier: MIT
// Scratch memory of linear_attention: what a thread has of a head.
#ifndef GW_KERNELS_CPU_LINEAR_ATTENTION_STATE_H
#define GW_KERNELS_CPU_LINEAR_ATTENTION_STATE_H

#include "kernels/kernel.h"

enum { GW_LINEAR_ATTENTION_ROWS = 16 }; // that are taken together

// Floats of a thread: a state [features][size] with its sums, the same turned, some rows of shares with a shift each,
// and their pairs.
static inline int64_t gw_linear_attention_state(const gw_linear_attention_args *args) {
    return args->features * (2 * args->size + 1) + GW_LINEAR_ATTENTION_ROWS * (args->size + 1) +
           GW_LINEAR_ATTENTION_ROWS * GW_LINEAR_ATTENTION_ROWS;
}

#endif
