// SPDX-License-Identifier: MIT
// The rows of each sequence summed by the softmax of their scores: a block a sequence. The softmax is computed in both
// passes, so that nothing is kept.
#include "kernels/cuda/block_sums.h"

namespace {

// exp(scale s - largest) / sum is the weight of a row.
struct softmax {
    float scale, largest, sum;
};

GPU_FN softmax softmax_of(const gw_attention_pool_args &a, int64_t begin, int64_t end) {
    float largest = -INFINITY, sum = 0;
    for (int64_t r = begin + threadIdx.x; r < end; r += GW_CUDA_THREADS) largest = fmaxf(largest, a.scale * a.score[r]);
    largest = gpu_block_max(largest);
    for (int64_t r = begin + threadIdx.x; r < end; r += GW_CUDA_THREADS) sum += expf(a.scale * a.score[r] - largest);
    return {a.scale, largest, gpu_block_sum(sum)};
}

GPU_FN float weight_of(const softmax &p, float score) {
    return expf(p.scale * score - p.largest) / p.sum;
}

__global__ void attention_pool(gw_attention_pool_args a) {
    const int64_t s = blockIdx.x, begin = a.start[s], end = a.start[s + 1];
    const softmax p = softmax_of(a, begin, end);
    for (int64_t i = threadIdx.x; i < a.width; i += GW_CUDA_THREADS) {
        float sum = 0;
        for (int64_t r = begin; r < end; r++) sum += weight_of(p, a.score[r]) * a.in[r * a.width + i];
        a.out[s * a.width + i] = sum;
    }
}

// The gradient's product with a row, by the warp that calls it.
GPU_FN float product_with(const gw_attention_pool_args &a, int64_t s, int64_t row) {
    float sum = 0;
    for (int64_t i = gpu_lane(); i < a.width; i += GW_CUDA_WARP)
        sum += a.gradient[s * a.width + i] * a.in[row * a.width + i];
    return gpu_warp_sum(sum);
}

__global__ void attention_pool_backward(gw_attention_pool_args a) {
    const int64_t s = blockIdx.x, begin = a.start[s], end = a.start[s + 1];
    const int warp = int(threadIdx.x) >> 5, warps = GW_CUDA_THREADS / GW_CUDA_WARP;
    const softmax p = softmax_of(a, begin, end);
    float mean = 0;
    for (int64_t r = begin + warp; r < end; r += warps) mean += weight_of(p, a.score[r]) * product_with(a, s, r);
    mean = gpu_block_sum(gpu_lane() == 0 ? mean : 0.0f);
    for (int64_t r = begin + warp; r < end; r += warps) {
        const float weight = weight_of(p, a.score[r]), product = product_with(a, s, r);
        if (gpu_lane() == 0) a.score_gradient[r] += a.scale * weight * (product - mean);
        for (int64_t i = gpu_lane(); i < a.width; i += GW_CUDA_WARP)
            a.in_gradient[r * a.width + i] += weight * a.gradient[s * a.width + i];
    }
}

} // namespace

GW_CUDA_OP(attention_pool, gw_attention_pool_args) {
    return gw_cuda_launch("attention_pool", attention_pool, args->sequences, GW_CUDA_THREADS, *args);
}

GW_CUDA_OP(attention_pool_backward, gw_attention_pool_args) {
    return gw_cuda_launch("attention_pool_backward", attention_pool_backward, args->sequences, GW_CUDA_THREADS, *args);
}
