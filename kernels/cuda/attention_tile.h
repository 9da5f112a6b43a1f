// SPDX-License-Identifier: MIT
// Tiles of bf16 numbers in shared memory, and products of them on tensor cores (mma.sync m16n8k16, sums in f32): what
// attention's forward and backward pass are made of. A thread block has a warp for each 16 of a tile's rows.
#ifndef GW_KERNELS_CUDA_ATTENTION_TILE_H
#define GW_KERNELS_CUDA_ATTENTION_TILE_H

#include "kernels/cuda/frame.h"

#define GPU_NONE (-INFINITY)
#define GPU_LOG2_E 1.4426950408889634f
#define GPU_LN_2 0.6931471805599453f

template <int T> constexpr int gpu_tile_threads = T / 16 * GW_CUDA_WARP;

// T rows of D numbers in chunks of 16 bytes, which lie in each row in another order: no bank conflicts where eight
// rows' chunks of one number are read together.
template <int T, int D> struct gpu_tile { uint16_t number[T * D]; };

template <int T, int D> GPU_FN uint16_t *gpu_chunk(gpu_tile<T, D> &t, int row, int chunk) {
    const int turned = D >= 64 ? row & 7 : row >> 1 & 3; // rows of 64 bytes: two of them have all banks
    return t.number + row * D + (chunk ^ turned) * 8;
}

// Rows first.. of one head by cp.async; those at and past `rows` are zeros.
template <int T, int D>
GPU_FN void gpu_load_tile(gpu_tile<T, D> &to, const uint16_t *from, int64_t stride, int first, int rows) {
    constexpr int CHUNKS = D / 8, STEP = gpu_tile_threads<T> / CHUNKS;
    const int row = int(threadIdx.x) / CHUNKS, chunk = int(threadIdx.x) % CHUNKS;
    const uint16_t *const source = from + int64_t(first + row) * stride + chunk * 8;
#pragma unroll
    for (int i = 0; i < T / STEP; i++) {
        const bool inside = first + row + i * STEP < rows;
        gpu_cp_async16(gpu_chunk(to, row + i * STEP, chunk), inside ? source + i * STEP * stride : from,
                       inside ? 16 : 0);
    }
}

// The warp's first row of a tile.
GPU_FN int gpu_warp_row() {
    return int(threadIdx.x) >> 5 << 4;
}

// Of 16 rows and N columns, those that a lane has of a product: columns 8 j + 2 (lane % 4) and the next of row
// lane / 4 in [j][0] and [1], of row lane / 4 + 8 in [j][2] and [3].
template <int N> struct gpu_sums { float of[N / 8][4]; };
GPU_FN int gpu_sum_row(int i) {
    return (gpu_lane() >> 2) + (i >> 1) * 8;
}
GPU_FN int gpu_sum_column(int j, int i) {
    return j * 8 + (gpu_lane() & 3) * 2 + (i & 1);
}

// z = a b^T of the warp's rows of a and all rows of b
template <int T, int D> GPU_FN void gpu_multiply_rows(gpu_sums<T> &z, gpu_tile<T, D> &a, gpu_tile<T, D> &b) {
    const int matrix = gpu_lane() >> 3, r = gpu_lane() & 7;
#pragma unroll
    for (int j = 0; j < T / 8; j++)
        for (int i = 0; i < 4; i++) z.of[j][i] = 0.0f;
#pragma unroll
    for (int k = 0; k < D / 16; k++) {
        uint32_t x[4];
        gpu_ldmatrix_x4(x, gpu_chunk(a, gpu_warp_row() + (matrix & 1) * 8 + r, 2 * k + (matrix >> 1)));
#pragma unroll
        for (int j = 0; j < T / 16; j++) {
            uint32_t y[4];
            gpu_ldmatrix_x4(y, gpu_chunk(b, j * 16 + (matrix >> 1) * 8 + r, 2 * k + (matrix & 1)));
            gpu_mma_bf16(z.of[2 * j], x, y[0], y[1]);
            gpu_mma_bf16(z.of[2 * j + 1], x, y[2], y[3]);
        }
    }
}

// out += p b, p rounded to bf16: sums of a product are where the next one's left operand has to be.
template <int T, int D> GPU_FN void gpu_add_product(gpu_sums<D> &out, const gpu_sums<T> &p, gpu_tile<T, D> &b) {
    const int matrix = gpu_lane() >> 3, r = gpu_lane() & 7;
#pragma unroll
    for (int k = 0; k < T / 16; k++) {
        const float(&left)[4] = p.of[2 * k], (&right)[4] = p.of[2 * k + 1];
        const uint32_t x[4] = {gpu_pack_bf16(left[0], left[1]), gpu_pack_bf16(left[2], left[3]),
                               gpu_pack_bf16(right[0], right[1]), gpu_pack_bf16(right[2], right[3])};
#pragma unroll
        for (int j = 0; j < D / 16; j++) {
            uint32_t y[4];
            gpu_ldmatrix_x4_trans(y, gpu_chunk(b, k * 16 + (matrix & 1) * 8 + r, 2 * j + (matrix >> 1)));
            gpu_mma_bf16(out.of[2 * j], x, y[0], y[1]);
            gpu_mma_bf16(out.of[2 * j + 1], x, y[2], y[3]);
        }
    }
}

// Of the four lanes that share a row.
GPU_FN float gpu_quad_max(float x) {
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}
GPU_FN float gpu_quad_sum(float x) {
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

#endif
