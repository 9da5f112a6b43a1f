// SPDX-License-Identifier: MIT
// Positive features: a warp a row of a head.
#include "kernels/cuda/block_sums.h"
#include "kernels/cuda/sequences.h"

namespace {

// A head of a row.
struct row {
    const float *in;
    int64_t at; // its features
};

GPU_FN row row_of(const gw_exp_features_args &a, int64_t r) {
    const int64_t place = r * a.heads + blockIdx.y;
    return {a.in + place * a.size, place * a.features};
}

// What comes off the exponents of a row beside the shift.
GPU_FN float square_of(const gw_exp_features_args &a, const row &x) {
    float sum = 0;
    for (int64_t i = gpu_lane(); i < a.size; i += GW_CUDA_WARP) sum += x.in[i] * x.in[i];
    return a.half * gpu_warp_sum(sum);
}

GPU_FN float largest_of(const gw_exp_features_args &a, const row &x, float square) {
    float largest = -INFINITY;
    for (int64_t f = gpu_lane(); f < a.features; f += GW_CUDA_WARP) largest = fmaxf(largest, a.projected[x.at + f]);
    return gpu_warp_max(largest) - square;
}

GPU_FN float largest_of_sequence(const gw_exp_features_args &a, int64_t begin, int64_t end) {
    float largest = -INFINITY;
    for (int64_t r = begin + (threadIdx.x >> 5); r < end; r += GW_CUDA_WARPS) {
        const row x = row_of(a, r);
        largest = fmaxf(largest, largest_of(a, x, square_of(a, x)));
    }
    return gpu_block_max(largest);
}

GPU_FN void write_row(const gw_exp_features_args &a, const row &x, float off) {
    for (int64_t f = gpu_lane(); f < a.features; f += GW_CUDA_WARP) a.out[x.at + f] = expf(a.projected[x.at + f] - off);
}

__global__ void features_of_rows(gw_exp_features_args a) {
    const int64_t end = a.start[blockIdx.x + 1];
    for (int64_t r = gpu_first_row(a.start[blockIdx.x]); r < end; r += gpu_row_step()) {
        const row x = row_of(a, r);
        const float square = square_of(a, x);
        write_row(a, x, square + largest_of(a, x, square));
    }
}

// One block has all rows of a sequence: features may overwrite the exponents that the shift is taken of.
__global__ void features_of_sequences(gw_exp_features_args a) {
    const int64_t begin = a.start[blockIdx.x], end = a.start[blockIdx.x + 1];
    const float shift = largest_of_sequence(a, begin, end);
    for (int64_t r = gpu_first_row(begin); r < end; r += gpu_row_step()) {
        const row x = row_of(a, r);
        write_row(a, x, square_of(a, x) + shift);
    }
}

__global__ void exp_features_backward(gw_exp_features_args a) {
    const bool replaces = a.projected_gradient == a.out_gradient;
    const int64_t end = a.start[blockIdx.x + 1];
    for (int64_t r = gpu_first_row(a.start[blockIdx.x]); r < end; r += gpu_row_step()) {
        const row x = row_of(a, r);
        float sum = 0;
        for (int64_t f = gpu_lane(); f < a.features; f += GW_CUDA_WARP) {
            const float e = a.out_gradient[x.at + f] * a.out[x.at + f];
            float *to = a.projected_gradient + x.at + f;
            *to = replaces ? e : *to + e;
            sum += e;
        }
        sum = gpu_warp_sum(sum);
        float *gradient = a.in_gradient + (x.in - a.in);
        for (int64_t i = gpu_lane(); i < a.size; i += GW_CUDA_WARP) gradient[i] -= 2 * a.half * sum * x.in[i];
    }
}

} // namespace

GW_CUDA_OP(exp_features, gw_exp_features_args) {
    if (!args->of_sequence)
        return gw_cuda_launch_sequences("exp_features", features_of_rows, args->sequences, args->heads, *args);
    return gw_cuda_launch_whole_sequences("exp_features", features_of_sequences, args->sequences, args->heads, *args);
}

GW_CUDA_OP(exp_features_backward, gw_exp_features_args) {
    return gw_cuda_launch_sequences("exp_features_backward", exp_features_backward, args->sequences, args->heads,
                                    *args);
}
