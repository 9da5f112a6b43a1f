// SPDX-License-Identifier: MIT
// The softmax of all pairs of a head's vectors: a block a head.
#include "kernels/cuda/block_sums.h"

namespace {

__global__ void pair_softmax(gw_pair_softmax_args a) {
    const int64_t pairs = int64_t(a.count) * a.count, head = blockIdx.x;
    const float *in = a.in + head * a.count * a.size;
    float *out = a.out + head * pairs, largest = -INFINITY, sum = 0;
    for (int64_t i = threadIdx.x; i < pairs; i += GW_CUDA_THREADS) {
        const float *u = in + i / a.count * a.size, *v = in + i % a.count * a.size;
        float product = 0;
        for (int d = 0; d < a.size; d++) product += u[d] * v[d];
        out[i] = product;
        largest = fmaxf(largest, product);
    }
    largest = gpu_block_max(largest);
    for (int64_t i = threadIdx.x; i < pairs; i += GW_CUDA_THREADS) {
        out[i] = expf(out[i] - largest);
        sum += out[i];
    }
    sum = gpu_block_sum(sum);
    for (int64_t i = threadIdx.x; i < pairs; i += GW_CUDA_THREADS) out[i] /= sum;
}

__global__ void pair_softmax_backward(gw_pair_softmax_args a) {
    const int64_t pairs = int64_t(a.count) * a.count, head = blockIdx.x;
    const float *in = a.in + head * a.count * a.size, *out = a.out + head * pairs,
                *dout = a.out_gradient + head * pairs;
    float *e = a.scratch + head * pairs, *din = a.in_gradient + head * a.count * a.size, mean = 0;
    for (int64_t i = threadIdx.x; i < pairs; i += GW_CUDA_THREADS) mean += out[i] * dout[i];
    mean = gpu_block_sum(mean);
    for (int64_t i = threadIdx.x; i < pairs; i += GW_CUDA_THREADS) e[i] = out[i] * (dout[i] - mean);
    __syncthreads();
    for (int64_t i = threadIdx.x; i < int64_t(a.count) * a.size; i += GW_CUDA_THREADS) {
        const int64_t u = i / a.size, d = i % a.size;
        float sum = 0;
        for (int v = 0; v < a.count; v++) sum += (e[u * a.count + v] + e[v * a.count + u]) * in[v * a.size + d];
        din[i] += sum;
    }
}

} // namespace

GW_CUDA_OP(pair_softmax, gw_pair_softmax_args) {
    return gw_cuda_launch("pair_softmax", pair_softmax, args->heads, GW_CUDA_THREADS, *args);
}

GW_CUDA_OP(pair_softmax_backward, gw_pair_softmax_args) {
    return gw_cuda_launch("pair_softmax_backward", pair_softmax_backward, args->heads, GW_CUDA_THREADS, *args);
}
