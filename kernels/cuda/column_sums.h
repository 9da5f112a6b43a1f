// SPDX-License-Identifier: MIT
// Sums over the rows of each column, in one order. A block takes 32 columns and a part of the rows; its warps share the
// rows.
#ifndef GW_KERNELS_CUDA_COLUMN_SUMS_H
#define GW_KERNELS_CUDA_COLUMN_SUMS_H

#include "kernels/cuda/parts.h"

enum { GW_CUDA_SUM_WARPS = 16, GW_CUDA_SUM_THREADS = GW_CUDA_SUM_WARPS * GW_CUDA_WARP, GW_CUDA_COLUMN_SUMS = 2 };

// The running thread's column.
GPU_FN int64_t gpu_column() {
    return int64_t(blockIdx.x) * GW_CUDA_WARP + gpu_lane();
}

typedef float gpu_row_parts[GW_CUDA_SUM_WARPS][GW_CUDA_WARP];
GPU_FN gpu_row_parts &gpu_shared_row_parts() {
    __shared__ gpu_row_parts part;
    return part;
}

// The sum of term(r) over the block's rows r, for the thread's column. The whole block calls it; only the first warp
// gets the sum.
template <typename F> GPU_FN float gpu_sum_rows(int64_t rows, bool has_column, F term) {
    gpu_row_parts &part = gpu_shared_row_parts();
    const int warp = int(threadIdx.x) >> 5;
    const gpu_part mine = gpu_part_of(rows, gridDim.y, blockIdx.y);
    float sum = 0;
    for (int64_t r = mine.first + warp; r < mine.end && has_column; r += GW_CUDA_SUM_WARPS) sum += term(r);
    part[warp][gpu_lane()] = sum;
    __syncthreads();
    for (int w = 1; w < GW_CUDA_SUM_WARPS && warp == 0; w++) sum += part[w][gpu_lane()];
    __syncthreads(); // `part` is written again by the next sum
    return sum;
}

template <typename... P, typename... A>
gw_status gw_cuda_launch_columns(const char *op, void (*kernel)(P...), int64_t width, A... args) {
    return gw_cuda_launch(op, kernel, gw_cuda_divide(width, GW_CUDA_WARP), GW_CUDA_SUM_THREADS, args...);
}

// ---- sums that are added to arrays, by a number of blocks that grows with the rows

// Where sums are written: to out[which][width], or in parts to sums[part][which][width].
struct gpu_column_sums {
    float *out[GW_CUDA_COLUMN_SUMS]; // NULL: no such sum
    int64_t rows, width;
    float *sums; // NULL: there is one part
};

// Adds term(r) over the rows to sum number `which`. The whole block calls it.
template <typename F> GPU_FN void gpu_add_column(const gpu_column_sums &to, int which, F term) {
    const int64_t column = gpu_column();
    const bool there = column < to.width;
    const float sum = gpu_sum_rows(to.rows, there, term);
    if (!there || threadIdx.x >= GW_CUDA_WARP) return;
    if (to.sums) to.sums[(int64_t(blockIdx.y) * GW_CUDA_COLUMN_SUMS + which) * to.width + column] = sum;
    else to.out[which][column] += sum;
}

// Launches kernel(args, sums). The kernel calls gpu_add_column() for each sum.
template <typename A>
gw_status gw_cuda_add_columns(const char *op, void (*kernel)(A, gpu_column_sums), gpu_column_sums sums, const A &args) {
    const int64_t parts = gw_cuda_parts_of(sums.rows), stride = GW_CUDA_COLUMN_SUMS * sums.width;
    if (sums.width == 0) return GW_OK;
    sums.sums = nullptr;
    if (parts > 1) GW_TRY(gw_cuda_part_sums(parts * stride, &sums.sums));
    const dim3 blocks(unsigned(gw_cuda_divide(sums.width, GW_CUDA_WARP)), unsigned(parts));
    GW_TRY(gw_cuda_status(gpu_launch(kernel, blocks, dim3(GW_CUDA_SUM_THREADS), 0, gw_cuda_stream, args, sums), op));
    for (int which = 0; which < GW_CUDA_COLUMN_SUMS && parts > 1; which++) {
        const gw_cuda_added_parts added = {
            sums.sums + which * sums.width, parts, stride, 1, sums.width, sums.out[which], sums.width};
        if (sums.out[which]) GW_TRY(gw_cuda_add_parts(op, &added));
    }
    return GW_OK;
}

#endif
