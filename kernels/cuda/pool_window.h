// SPDX-License-Identifier: MIT
// The rows of the finer stream that a row of the coarser stream covers.
#ifndef GW_KERNELS_CUDA_POOL_WINDOW_H
#define GW_KERNELS_CUDA_POOL_WINDOW_H

#include "kernels/cuda/frame.h"

struct gpu_pool_window {
    int64_t first, count; // rows of the finer stream
};

// The sequence of a coarser row: the last that starts at or before it and has rows.
GPU_FN int64_t gpu_pool_sequence_of(const gw_pool_args &a, int64_t row) {
    int64_t low = 0, high = a.sequences;
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (a.coarser_start[middle] <= row) low = middle;
        else high = middle;
    }
    return low;
}

GPU_FN gpu_pool_window gpu_pool_window_of(const gw_pool_args &a, int64_t row) {
    if (!a.coarser_start) return {a.start[row], a.start[row + 1] - a.start[row]};
    const int64_t s = gpu_pool_sequence_of(a, row);
    const int64_t first = a.start[s] + (row - a.coarser_start[s]) * a.factor, left = a.start[s + 1] - first;
    return {first, left < a.factor ? left : int64_t(a.factor)};
}

#endif
