// SPDX-License-Identifier: MIT
// Bias gradients: the sums of columns.
#include "kernels/cuda/column_sums.h"

static __global__ void column_sum(gw_column_sum_args a) {
    const int64_t column = gpu_column();
    const bool there = column < a.width;
    const float sum = gpu_sum_rows(a.rows, there, [&](int64_t r) { return a.in[r * a.in_stride + column]; });
    if (there && threadIdx.x < GW_CUDA_WARP) a.out[column] += sum;
}

GW_CUDA_OP(column_sum, gw_column_sum_args) {
    return gw_cuda_launch_columns("column_sum", column_sum, args->width, *args);
}
