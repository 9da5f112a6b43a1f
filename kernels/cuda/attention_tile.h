// SPDX-License-Identifier: MIT
// Tiles of bf16 numbers in shared memory, and products of them on tensor cores (mma.sync m16n8k16, sums in f32).
// Attention's forward and backward passes use them. A thread block has one warp for each 16 rows of a tile.
#ifndef GW_KERNELS_CUDA_ATTENTION_TILE_H
#define GW_KERNELS_CUDA_ATTENTION_TILE_H

#include "kernels/cuda/frame.h"

#define GPU_NONE (-INFINITY)
#define GPU_LOG2_E 1.4426950408889634f
#define GPU_LN_2 0.6931471805599453f

template <int T> constexpr int gpu_tile_threads = T / 16 * GW_CUDA_WARP;

// T rows of D numbers in chunks of 16 bytes. The order of chunks differs between rows, so that reading one chunk of
// each of eight rows together has no bank conflict.
template <int T, int D> struct gpu_tile { uint16_t number[T * D]; };

template <int T, int D> GPU_FN uint16_t *gpu_chunk(gpu_tile<T, D> &t, int row, int chunk) {
    const int turned = D >= 64 ? row & 7 : row >> 1 & 3; // two rows of 64 bytes take all banks
    return t.number + row * D + (chunk ^ turned) * 8;
}

// The address from which a thread copies its part of a tile. `from` is the first row of the sequence.
template <int D> GPU_FN const uint16_t *gpu_lane_source(const uint16_t *from, int64_t stride) {
    constexpr int CHUNKS = D / 8;
    return from + int(threadIdx.x) / CHUNKS * stride + int(threadIdx.x) % CHUNKS * 8;
}

// Copies rows from `first` on of N arrays by cp.async with THREADS threads. Rows at and past `rows` become zeros. Most
// tiles have no such rows, and are copied without a test for each row.
template <int THREADS, int N, int T, int D>
GPU_FN void gpu_load_tiles(gpu_tile<T, D> (&to)[N], const uint16_t *const (&from)[N], int stride, int first, int rows) {
    constexpr int CHUNKS = D / 8, STEP = THREADS / CHUNKS;
    const int row = int(threadIdx.x) / CHUNKS, chunk = int(threadIdx.x) % CHUNKS;
    const int64_t at = int64_t(first) * stride;
    if (first + T <= rows) {
#pragma unroll
        for (int n = 0; n < N; n++)
#pragma unroll
            for (int i = 0; i < T / STEP; i++)
                gpu_cp_async16(gpu_chunk(to[n], row + i * STEP, chunk), from[n] + at + int64_t(stride) * (i * STEP),
                               16);
        return;
    }
#pragma unroll
    for (int i = 0; i < T / STEP; i++) {
        const bool inside = first + row + i * STEP < rows;
#pragma unroll
        for (int n = 0; n < N; n++)
            gpu_cp_async16(gpu_chunk(to[n], row + i * STEP, chunk), from[n] + at + int64_t(stride) * (i * STEP),
                           inside ? 16 : 0);
    }
}

// Where a lane's row of matrices for ldmatrix begins: numbers from the begin of the tile to the lane's chunk of pair
// k % PAIRS of neighbouring chunks. Other pairs are 64 numbers further, other groups of 8 rows 8 D.
template <int D> struct gpu_lane_row {
    static constexpr int PAIRS = D >= 64 ? 4 : 2;
    int pair[PAIRS];
};
template <int D> GPU_FN gpu_lane_row<D> gpu_lane_row_of(int row, int chunk) {
    const int turned = D >= 64 ? row & 7 : row >> 1 & 3;
    gpu_lane_row<D> r;
#pragma unroll
    for (int k = 0; k < r.PAIRS; k++) {
        r.pair[k] = row * D + ((2 * k + chunk) ^ turned) * 8;
        gpu_keep(r.pair[k]);
    }
    return r;
}
template <int T, int D>
GPU_FN const uint16_t *gpu_lane_chunk(const gpu_tile<T, D> &t, const gpu_lane_row<D> &r, int first_row, int pair) {
    return t.number + r.pair[pair % r.PAIRS] + (pair / r.PAIRS * 64 + first_row * D);
}

// Reads 16 rows of 16 numbers as the left operand of a product; or, transposed, as the right operand of two products
// whose columns are the numbers.
template <int D> GPU_FN gpu_lane_row<D> gpu_left_row() {
    return gpu_lane_row_of<D>(gpu_lane() & 15, gpu_lane() >> 4);
}
// Reads them as the right operand of two products whose columns are the rows.
template <int D> GPU_FN gpu_lane_row<D> gpu_right_row() {
    return gpu_lane_row_of<D>((gpu_lane() >> 4) * 8 + (gpu_lane() & 7), gpu_lane() >> 3 & 1);
}

// A left operand of N times 16 rows, in registers.
template <int N, int D> struct gpu_left { uint32_t of[N][D / 16][4]; };
template <int N, int T, int D>
GPU_FN void gpu_read_left(gpu_left<N, D> &to, const gpu_tile<T, D> &from, const gpu_lane_row<D> &lane, int first_row) {
#pragma unroll
    for (int n = 0; n < N; n++)
#pragma unroll
        for (int k = 0; k < D / 16; k++)
            gpu_ldmatrix_x4(to.of[n][k], gpu_lane_chunk(from, lane, first_row + 16 * n, k));
}

// The warp's first row of a tile.
GPU_FN int gpu_warp_row() {
    return int(threadIdx.x) >> 5 << 4;
}

// The numbers of a product of 16 rows and N columns that a lane holds: columns 8 j + 2 (lane % 4) and the next, of row
// lane / 4 in [j][0] and [1], of row lane / 4 + 8 in [j][2] and [3].
template <int N> struct gpu_sums { float of[N / 8][4]; };
GPU_FN int gpu_sum_row(int i) {
    return (gpu_lane() >> 2) + (i >> 1) * 8;
}
GPU_FN int gpu_sum_column(int j, int i) {
    return j * 8 + (gpu_lane() & 3) * 2 + (i & 1);
}

// z += a b^T for N times 16 rows of a and all rows of b. lane: gpu_right_row().
template <int N, int T, int D>
GPU_FN void gpu_add_row_products(gpu_sums<T> (&z)[N], const gpu_left<N, D> &a, const gpu_tile<T, D> &b,
                                 const gpu_lane_row<D> &lane) {
#pragma unroll
    for (int k = 0; k < D / 16; k++)
#pragma unroll
        for (int j = 0; j < T / 16; j++) {
            uint32_t y[4];
            gpu_ldmatrix_x4(y, gpu_lane_chunk(b, lane, 16 * j, k));
#pragma unroll
            for (int n = 0; n < N; n++) {
                gpu_mma_bf16(z[n].of[2 * j], a.of[n][k], y[0], y[1]);
                gpu_mma_bf16(z[n].of[2 * j + 1], a.of[n][k], y[2], y[3]);
            }
        }
}

// out += p b for N times 16 rows of p and 16 columns of p, which are rows `first` .. `first` + 15 of b. lane:
// gpu_left_row(). Sums of one product lie where the left operand of the next must lie: p is two neighbouring parts of 8
// columns, rounded.
template <int N, int T, int D>
GPU_FN void gpu_add_product(gpu_sums<D> (&out)[N], const uint32_t (&p)[N][4], const gpu_tile<T, D> &b,
                            const gpu_lane_row<D> &lane, int first) {
#pragma unroll
    for (int j = 0; j < D / 16; j++) {
        uint32_t y[4];
        gpu_ldmatrix_x4_trans(y, gpu_lane_chunk(b, lane, first, j));
#pragma unroll
        for (int n = 0; n < N; n++) {
            gpu_mma_bf16(out[n].of[2 * j], p[n], y[0], y[1]);
            gpu_mma_bf16(out[n].of[2 * j + 1], p[n], y[2], y[3]);
        }
    }
}

// Over the four lanes that share a row.
GPU_FN float gpu_quad_max(float x) {
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}
GPU_FN float gpu_quad_sum(float x) {
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

#endif
