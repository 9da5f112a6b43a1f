// SPDX-License-Identifier: MIT
// Sums over the rows of each column, in one order: 32 columns a block, rows shared out among its warps.
#ifndef GW_KERNELS_CUDA_COLUMN_SUMS_H
#define GW_KERNELS_CUDA_COLUMN_SUMS_H

#include "kernels/cuda/frame.h"

enum { GW_CUDA_SUM_WARPS = 16, GW_CUDA_SUM_THREADS = GW_CUDA_SUM_WARPS * GW_CUDA_WARP };

// The running thread's column.
GPU_FN int64_t gpu_column() {
    return int64_t(blockIdx.x) * GW_CUDA_WARP + gpu_lane();
}

typedef float gpu_row_parts[GW_CUDA_SUM_WARPS][GW_CUDA_WARP];
GPU_FN gpu_row_parts &gpu_shared_row_parts() {
    __shared__ gpu_row_parts part;
    return part;
}

// Sum over rows r of term(r), for the thread's column: valid in the first warp. The whole block calls it.
template <typename F> GPU_FN float gpu_sum_rows(int64_t rows, bool has_column, F term) {
    gpu_row_parts &part = gpu_shared_row_parts();
    const int warp = int(threadIdx.x) >> 5;
    float sum = 0;
    for (int64_t r = warp; r < rows && has_column; r += GW_CUDA_SUM_WARPS) sum += term(r);
    part[warp][gpu_lane()] = sum;
    __syncthreads();
    for (int w = 1; w < GW_CUDA_SUM_WARPS && warp == 0; w++) sum += part[w][gpu_lane()];
    __syncthreads(); // `part` is written again by the next sum
    return sum;
}

template <typename... P, typename... A>
gw_status gw_cuda_launch_columns(const char *op, void (*kernel)(P...), int64_t width, A... args) {
    return gw_cuda_launch(op, kernel, gw_cuda_divide(width, GW_CUDA_WARP), GW_CUDA_SUM_THREADS, args...);
}

#endif
