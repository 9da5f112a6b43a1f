// SPDX-License-Identifier: MIT
// One row of attention by one warp: an online softmax over its keys, 32 at a time. For scores each lane holds one key;
// for sums the lanes hold numbers of the head. Heads wider than PART are summed in parts. Each part computes the scores
// again.
#ifndef GW_KERNELS_CUDA_ATTENTION_ROW_H
#define GW_KERNELS_CUDA_ATTENTION_ROW_H

#include "kernels/cuda/frame.h"

enum { GW_CUDA_PART = 128, GW_CUDA_NUMBERS = GW_CUDA_PART / GW_CUDA_WARP };

// The numbers lane, lane + 32, ... of a part of `numbers` numbers.
struct gpu_numbers {
    float of[GW_CUDA_NUMBERS];
};

struct gpu_softmax_row {
    float most, sum;
    gpu_numbers out;
};

// Shares one number of each lane with the whole warp. Two numbers can be shared at a time, in the first and the second
// place. (Shared variables stand outside of templates, since the emulator does not see them inside.)
typedef float gpu_lane_numbers[GW_CUDA_WARP];
GPU_FN gpu_lane_numbers &gpu_put_lane(gpu_lane_numbers &to, float number) {
    __syncwarp(); // the last exchange has been read
    to[gpu_lane()] = number;
    __syncwarp();
    return to;
}

GPU_FN gpu_lane_numbers &gpu_share_lanes(float number) {
    __shared__ gpu_lane_numbers of_warp[GW_CUDA_ROWS];
    return gpu_put_lane(of_warp[threadIdx.x >> 5], number);
}

GPU_FN gpu_lane_numbers &gpu_share_more_lanes(float number) {
    __shared__ gpu_lane_numbers of_warp[GW_CUDA_ROWS];
    return gpu_put_lane(of_warp[threadIdx.x >> 5], number);
}

// to += the sum over the first `count` lanes k of weight[k] number(k, d). Numbers of weight 0 are not read: they may be
// NaN.
template <typename F>
GPU_FN void gpu_add_weighted(gpu_numbers &to, const gpu_lane_numbers &weight, int count, int numbers, F number) {
    for (int k = 0; k < count; k++) {
        const float w = weight[k];
        if (w == 0.0f) continue;
        for (int n = 0; n < GW_CUDA_NUMBERS; n++) {
            const int d = n * GW_CUDA_WARP + gpu_lane();
            if (d < numbers) to.of[n] += w * number(k, d);
        }
    }
}

// Adds up to 32 keys. The key of this lane has weight e^z.
template <typename F> GPU_FN void gpu_add_keys(gpu_softmax_row &row, float z, int count, int numbers, F value) {
    const float most = fmaxf(row.most, gpu_warp_max(z));
    if (most == -INFINITY) return; // the whole warp returns: the row has read no key so far
    const float shrink = expf(row.most - most), weight = expf(z - most);
    row.most = most;
    row.sum = row.sum * shrink + gpu_warp_sum(weight);
    for (float &x : row.out.of) x *= shrink;
    gpu_add_weighted(row.out, gpu_share_lanes(weight), count, numbers, value);
}

// Writes a part of the row. The first part also writes log_sum. A row without keys gives 0 and -infinity.
GPU_FN void gpu_write_row(const gpu_softmax_row &row, int part, int head_size, float *out, float *log_sum) {
    for (int n = 0; n < GW_CUDA_NUMBERS; n++) {
        const int d = part * GW_CUDA_PART + n * GW_CUDA_WARP + gpu_lane();
        if (d < head_size) out[d] = row.sum > 0.0f ? row.out.of[n] / row.sum : 0.0f;
    }
    if (gpu_lane() == 0 && part == 0) *log_sum = row.sum > 0.0f ? row.most + logf(row.sum) : -INFINITY;
}

GPU_FN float gpu_rounded(float x, bool bf16) {
    return bf16 ? __uint_as_float(gpu_pack_bf16(0.0f, x)) : x;
}

GPU_FN float gpu_dot(const float *a, const float *b, int count, bool bf16) {
    float sum = 0;
    for (int d = 0; d < count; d++) sum += gpu_rounded(a[d], bf16) * gpu_rounded(b[d], bf16);
    return sum;
}

#endif
