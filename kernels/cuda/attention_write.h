// SPDX-License-Identifier: MIT
// A warp writes attention's result of 16 queries, as f32 or as bf16, and the logarithm of the sum of weights.
#ifndef GW_KERNELS_CUDA_ATTENTION_WRITE_H
#define GW_KERNELS_CUDA_ATTENTION_WRITE_H

#include "kernels/cuda/attention_mma.h"
#include "kernels/cuda/attention_tile.h"

// Writes row h of the lane, multiplied by `part`. in_twos: pairs of numbers are aligned.
template <int D> GPU_FN void gpu_write_row(float *to, const gpu_sums<D> &out, int h, float part, bool in_twos) {
#pragma unroll
    for (int j = 0; j < D / 8; j++) {
        const float2 two = {out.of[j][2 * h] * part, out.of[j][2 * h + 1] * part};
        if (in_twos) *reinterpret_cast<float2 *>(to + j * 8) = two;
        else to[j * 8] = two.x, to[j * 8 + 1] = two.y;
    }
}

template <int D> GPU_FN void gpu_write_row(uint16_t *to, const gpu_sums<D> &out, int h, float part) {
#pragma unroll
    for (int j = 0; j < D / 8; j++)
        *reinterpret_cast<uint32_t *>(to + j * 8) = gpu_pack_bf16(out.of[j][2 * h] * part, out.of[j][2 * h + 1] * part);
}

// query is the first of the 16 in its sequence. out holds the sums of weights times values. base[h] is the score, in
// base 2, that has weight 1 in row h of the lane; sum[h] is the lane's part of that row's sum of weights.
template <int D>
GPU_FN void gpu_write_queries(const gpu_mma_attention &p, const gpu_job &job, const gpu_sums<D> &out,
                              const float (&base)[2], const float (&sum)[2], int query, int head) {
    const bool in_twos = p.a.out_stride % 2 == 0 && reinterpret_cast<uintptr_t>(p.a.out) % sizeof(float2) == 0;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int number = query + gpu_sum_row(2 * h);
        const float all = gpu_quad_sum(sum[h]);
        if (number >= job.queries) continue;
        const int64_t at = job.query_begin + number;
        const int64_t column = head * D + gpu_sum_column(0, 0);
        const float part = all > 0.0f ? 1.0f / all : 0.0f;
        if (p.a.out_bf16) gpu_write_row(p.a.out_bf16 + at * p.stride + column, out, h, part);
        else gpu_write_row(p.a.out + at * p.a.out_stride + column, out, h, part, in_twos);
        if ((gpu_lane() & 3) == 0)
            p.a.log_sum[head * p.a.query_rows + at] = all > 0.0f ? (base[h] + gpu_log2(all)) * GPU_LN_2 : GPU_NONE;
    }
}

#endif
