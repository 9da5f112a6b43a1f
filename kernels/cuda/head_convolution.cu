// SPDX-License-Identifier: MIT
// A convolution whose filter the values of a head share: a warp a row of a head; of the filter's gradient a block a
// tap.
#include "kernels/cuda/sequences.h"

namespace {

enum { WARPS = GW_CUDA_THREADS / GW_CUDA_WARP };

// Number i of the row's sum over taps of weight[t] from[row + direction (t - middle)].
GPU_FN float sum_taps(const gw_head_convolution_args &a, const float *from, int64_t row, int direction, int64_t i) {
    const int64_t begin = a.start[blockIdx.x], end = a.start[blockIdx.x + 1], head = blockIdx.y;
    float sum = 0;
    for (int t = 0; t < a.taps; t++) {
        const int64_t other = row + direction * (t - (a.taps - 1) / 2);
        if (other < begin || other >= end) continue;
        sum += a.weight[head * a.taps + t] * from[(other * a.heads + head) * a.size + i];
    }
    return sum;
}

__global__ void head_convolution(gw_head_convolution_args a) {
    const int64_t end = a.start[blockIdx.x + 1];
    for (int64_t r = gpu_first_row(a.start[blockIdx.x]); r < end; r += gpu_row_step())
        for (int64_t i = gpu_lane(); i < a.size; i += GW_CUDA_WARP)
            a.out[(r * a.heads + blockIdx.y) * a.size + i] = sum_taps(a, a.in, r, 1, i);
}

__global__ void head_convolution_backward(gw_head_convolution_args a) {
    const int64_t end = a.start[blockIdx.x + 1];
    for (int64_t r = gpu_first_row(a.start[blockIdx.x]); r < end; r += gpu_row_step())
        for (int64_t i = gpu_lane(); i < a.size; i += GW_CUDA_WARP)
            a.in_gradient[(r * a.heads + blockIdx.y) * a.size + i] += sum_taps(a, a.out_gradient, r, -1, i);
}

// The thread's part of the products of rows that are `shift` apart in a sequence.
GPU_FN double sum_rows(const gw_head_convolution_args &a, int64_t s, int64_t head, int64_t shift) {
    const int64_t begin = a.start[s], end = a.start[s + 1], width = a.heads * a.size;
    const int64_t first = shift < 0 ? begin - shift : begin, last = shift > 0 ? end - shift : end;
    double sum = 0;
    for (int64_t at = threadIdx.x; at < (last - first) * a.size; at += GW_CUDA_THREADS) {
        const int64_t row = first + at / a.size, i = head * a.size + at % a.size;
        sum += double(a.out_gradient[row * width + i]) * double(a.in[(row + shift) * width + i]);
    }
    return sum;
}

__global__ void filter_gradient(gw_head_convolution_args a) {
    __shared__ double of_warp[WARPS];
    const int64_t item = blockIdx.x, head = item / a.taps, shift = item % a.taps - (a.taps - 1) / 2;
    double sum = 0;
    for (int64_t s = 0; s < a.sequences; s++) sum += sum_rows(a, s, head, shift);
    sum = gpu_warp_sum(sum);
    if (gpu_lane() == 0) of_warp[threadIdx.x >> 5] = sum;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < WARPS; w++) sum += of_warp[w];
    a.weight_gradient[item] += float(sum);
}

} // namespace

GW_CUDA_OP(head_convolution, gw_head_convolution_args) {
    return gw_cuda_launch_sequences("head_convolution", head_convolution, args->sequences, args->heads, *args);
}

GW_CUDA_OP(head_convolution_backward, gw_head_convolution_args) {
    GW_TRY(gw_cuda_launch_sequences("head_convolution_backward", head_convolution_backward, args->sequences,
                                    args->heads, *args));
    return gw_cuda_launch("head_convolution_backward", filter_gradient, int64_t(args->heads) * args->taps,
                          GW_CUDA_THREADS, *args);
}
