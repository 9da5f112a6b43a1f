// SPDX-License-Identifier: MIT
// Sums and maxima over a block of GW_CUDA_THREADS threads, in one order. The whole block calls them, and each thread
// gets the result.
#ifndef GW_KERNELS_CUDA_BLOCK_SUMS_H
#define GW_KERNELS_CUDA_BLOCK_SUMS_H

#include "kernels/cuda/frame.h"

enum { GW_CUDA_WARPS = GW_CUDA_THREADS / GW_CUDA_WARP };

// Shares one number of each warp with the block.
typedef float gpu_warp_parts[GW_CUDA_WARPS];
GPU_FN gpu_warp_parts &gpu_exchange_parts(float of_warp) {
    __shared__ gpu_warp_parts part;
    __syncthreads(); // the last exchange has been read
    if (gpu_lane() == 0) part[threadIdx.x >> 5] = of_warp;
    __syncthreads();
    return part;
}

GPU_FN float gpu_block_sum(float x) {
    const gpu_warp_parts &part = gpu_exchange_parts(gpu_warp_sum(x));
    float sum = 0;
    for (float more : part) sum += more;
    return sum;
}

GPU_FN float gpu_block_max(float x) {
    const gpu_warp_parts &part = gpu_exchange_parts(gpu_warp_max(x));
    float most = part[0];
    for (float more : part) most = fmaxf(most, more);
    return most;
}

// The sum in double. Only the first thread of the block gets it.
GPU_FN double gpu_sum_in_first(double x, double (&of_warp)[GW_CUDA_WARPS]) {
    x = gpu_warp_sum(x);
    if (gpu_lane() == 0) of_warp[threadIdx.x >> 5] = x;
    __syncthreads();
    for (int w = 1; w < GW_CUDA_WARPS && threadIdx.x == 0; w++) x += of_warp[w];
    __syncthreads(); // of_warp is written again by the next sum
    return x;
}

#endif
