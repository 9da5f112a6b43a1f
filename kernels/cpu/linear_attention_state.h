// SPDX-License-Identifier: MIT
// Scratch memory of linear_attention: what a thread has of a head.
#ifndef GW_KERNELS_CPU_LINEAR_ATTENTION_STATE_H
#define GW_KERNELS_CPU_LINEAR_ATTENTION_STATE_H

#include "kernels/kernel.h"

enum { GW_LINEAR_ATTENTION_ROWS = 16 }; // that are added to a state while it is read once

// Floats of a thread: a state [features][size] with its sums, and some rows of shares with a shift each.
static inline int64_t gw_linear_attention_state(const gw_linear_attention_args *args) {
    return (args->features + GW_LINEAR_ATTENTION_ROWS) * (args->size + 1);
}

#endif
