// SPDX-License-Identifier: MIT
// Rows that are added to rows of a table by index, in one order and without atomics: a warp has 32 columns of every
// GW_CUDA_SHARES-th row of the table, looks at 32 indices at a time, and adds those rows that are its own one by one.
#ifndef GW_KERNELS_CUDA_INDEXED_ROWS_H
#define GW_KERNELS_CUDA_INDEXED_ROWS_H

#include "kernels/cuda/frame.h"

enum { GW_CUDA_SHARES = 64 };

struct gpu_indexed_rows {
    int64_t rows, width;
    const int32_t *index;
    const float *in;
    int64_t in_stride;
    const float *scale; // of each row, or NULL
    float scale_of_all;
    float *table;
    int64_t table_stride;
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

// Launches a kernel that does so.
static inline gw_status gw_cuda_add_indexed_rows(const char *op, void (*kernel)(gpu_indexed_rows),
                                                 const gpu_indexed_rows &a) {
    if (a.rows == 0 || !a.table) return GW_OK;
    return gw_cuda_launch_rows(op, kernel, gw_cuda_divide(a.width, GW_CUDA_WARP) * GW_CUDA_SHARES, a);
}

#endif
