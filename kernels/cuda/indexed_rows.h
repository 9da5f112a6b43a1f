// SPDX-License-Identifier: MIT
// Adds rows to rows of a table by index, in one order and without atomics. A warp takes 32 columns of every
// GW_CUDA_SHARES-th row of the table. It looks at 32 indices at a time, and adds the rows that belong to it one by one.
// If the table has few rows, a warp takes a part of the added rows, and sums 32 columns for the whole table.
#ifndef GW_KERNELS_CUDA_INDEXED_ROWS_H
#define GW_KERNELS_CUDA_INDEXED_ROWS_H

#include "kernels/cuda/parts.h"

enum { GW_CUDA_SHARES = 64, GW_CUDA_FEW = 32 }; // FEW: rows of a table

struct gpu_indexed_rows {
    int64_t rows, width;
    const int32_t *index;
    const float *in;
    int64_t in_stride;
    const float *scale; // of each row, or NULL
    float scale_of_all;
    float *table;
    int64_t table_stride, table_rows;
};

GPU_FN void gpu_add_indexed_rows(const gpu_indexed_rows &a) {
    const int64_t parts = (a.width + GW_CUDA_WARP - 1) / GW_CUDA_WARP, item = gpu_row();
    const int64_t column = item % parts * GW_CUDA_WARP + gpu_lane(), share = item / parts;
    if (share >= GW_CUDA_SHARES) return; // a whole warp
    for (int64_t first = 0; first < a.rows; first += GW_CUDA_WARP) {
        const int64_t mine = first + gpu_lane();
        unsigned hits = __ballot_sync(0xffffffffu, mine < a.rows && a.index[mine] % GW_CUDA_SHARES == share);
        for (; hits; hits &= hits - 1) {
            const int64_t row = first + __ffs(int(hits)) - 1;
            if (column >= a.width) continue;
            const float scale = a.scale ? a.scale_of_all * a.scale[row] : a.scale_of_all;
            a.table[a.index[row] * a.table_stride + column] += scale * a.in[row * a.in_stride + column];
        }
    }
}

// sums[part][table rows][width]
GPU_FN void gpu_sum_few_rows(const gpu_indexed_rows &a, int64_t parts, float *sums) {
    __shared__ float sum[GW_CUDA_ROWS][GW_CUDA_FEW][GW_CUDA_WARP];
    const int64_t blocks = (a.width + GW_CUDA_WARP - 1) / GW_CUDA_WARP, item = gpu_row();
    const int64_t column = item % blocks * GW_CUDA_WARP + gpu_lane(), part = item / blocks;
    const int warp = int(threadIdx.x) >> 5;
    if (part >= parts || column >= a.width) return;
    const gpu_part mine = gpu_part_of(a.rows, parts, part);
    for (int64_t t = 0; t < a.table_rows; t++) sum[warp][t][gpu_lane()] = 0;
    for (int64_t row = mine.first; row < mine.end; row++) {
        const float scale = a.scale ? a.scale_of_all * a.scale[row] : a.scale_of_all;
        sum[warp][a.index[row]][gpu_lane()] += scale * a.in[row * a.in_stride + column];
    }
    for (int64_t t = 0; t < a.table_rows; t++)
        sums[(part * a.table_rows + t) * a.width + column] = sum[warp][t][gpu_lane()];
}

// Both kernels, as members of an op, so that a profile shows the name of the op.
struct gw_cuda_indexed_kernels {
    void (*adds)(gpu_indexed_rows);
    void (*sums_few)(gpu_indexed_rows, int64_t parts, float *sums);
};

static inline gw_status gw_cuda_add_few_rows(const char *op, const gw_cuda_indexed_kernels &kernels,
                                             const gpu_indexed_rows &a) {
    const int64_t parts = gw_cuda_parts_of(a.rows), table = a.table_rows * a.width;
    float *sums;
    GW_TRY(gw_cuda_part_sums(parts * table, &sums));
    GW_TRY(gw_cuda_launch_rows(op, kernels.sums_few, gw_cuda_divide(a.width, GW_CUDA_WARP) * parts, a, parts, sums));
    const gw_cuda_added_parts added = {sums, parts, table, a.table_rows, a.width, a.table, a.table_stride};
    return gw_cuda_add_parts(op, &added);
}

static inline gw_status gw_cuda_add_indexed_rows(const char *op, const gw_cuda_indexed_kernels &kernels,
                                                 const gpu_indexed_rows &a) {
    if (a.rows == 0 || !a.table) return GW_OK;
    if (a.table_rows <= GW_CUDA_FEW && a.rows > GW_CUDA_ROWS_OF_PART) return gw_cuda_add_few_rows(op, kernels, a);
    return gw_cuda_launch_rows(op, kernels.adds, gw_cuda_divide(a.width, GW_CUDA_WARP) * GW_CUDA_SHARES, a);
}

#endif
