// SPDX-License-Identifier: MIT
// The fine rows in the window of a coarser row.
#ifndef GW_KERNELS_CPU_ISA_POOL_WINDOW_H
#define GW_KERNELS_CPU_ISA_POOL_WINDOW_H

#include "kernels/cpu/isa/vector.h"
#include "kernels/kernel.h"

enum { GW_POOL_GRAIN = 64 }; // windows

typedef struct {
    int64_t first, count; // rows of the finer stream
} gw_pool_window;

// The sequence of a coarser row: the last one with rows that starts at or before it.
GW_INLINE int64_t gw_pool_sequence_of(const gw_pool_args *args, int64_t row) {
    int64_t low = 0, high = args->sequences;
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (args->coarser_start[middle] <= row) low = middle;
        else high = middle;
    }
    return low;
}

GW_INLINE gw_pool_window gw_pool_window_of(const gw_pool_args *args, int64_t row) {
    if (!args->coarser_start) return (gw_pool_window){args->start[row], args->start[row + 1] - args->start[row]};
    const int64_t s = gw_pool_sequence_of(args, row);
    const int64_t first = args->start[s] + (row - args->coarser_start[s]) * args->factor;
    const int64_t left = args->start[s + 1] - first;
    return (gw_pool_window){first, left < args->factor ? left : args->factor};
}

#endif
