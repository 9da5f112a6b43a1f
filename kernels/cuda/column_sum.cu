// SPDX-License-Identifier: MIT
// Bias gradients: the sums of columns.
#include "kernels/cuda/column_sums.h"

static __global__ void column_sum(gw_column_sum_args a, gpu_column_sums sums) {
    const int64_t column = gpu_column();
    gpu_add_column(sums, 0, [&](int64_t r) { return a.in[r * a.in_stride + column]; });
}

GW_CUDA_OP(column_sum, gw_column_sum_args) {
    return gw_cuda_add_columns("column_sum", column_sum, {{args->out, nullptr}, args->rows, args->width, nullptr},
                               *args);
}
