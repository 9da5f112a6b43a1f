// SPDX-License-Identifier: MIT
// The norm of all gradients: blocks sum squares in double, each over its share; one warp adds those of the blocks.
#include "kernels/cuda/frame.h"

namespace {

enum { BLOCKS = GW_CUDA_PARTS, WARPS = GW_CUDA_THREADS / GW_CUDA_WARP };

__global__ void sum_squares(gw_gradient_norm_args a, double *part) {
    __shared__ double of_warp[WARPS];
    double sum = 0;
    for (int64_t i = gpu_element(); i < a.count; i += int64_t(BLOCKS) * GW_CUDA_THREADS)
        sum += double(a.in[i]) * double(a.in[i]);
    sum = gpu_warp_sum(sum);
    if (gpu_lane() == 0) of_warp[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x >= GW_CUDA_WARP) return; // whole warps
    sum = gpu_warp_sum(gpu_lane() < WARPS ? of_warp[gpu_lane()] : 0.0);
    if (gpu_lane() == 0) part[blockIdx.x] = sum;
}

__global__ void finish_norm(gw_gradient_norm_args a, const double *part) {
    double sum = 0;
    for (int i = gpu_lane(); i < BLOCKS; i += GW_CUDA_WARP) sum += part[i];
    const double norm = sqrt(gpu_warp_sum(sum));
    if (gpu_lane() > 0) return;
    a.out->norm = norm;
    a.out->scale = a.clip > 0 && norm > a.clip ? float(a.clip / norm) : 1.0f;
}

} // namespace

GW_CUDA_OP(gradient_norm, gw_gradient_norm_args) {
    double *part;
    GW_TRY(gw_cuda_parts(&part));
    GW_TRY(gw_cuda_launch("gradient_norm", sum_squares, BLOCKS, GW_CUDA_THREADS, *args, part));
    return gw_cuda_launch("gradient_norm", finish_norm, 1, GW_CUDA_WARP, *args, part);
}
