// SPDX-License-Identifier: MIT
// Rows by index: a thread a number of a gathered row.
#include "kernels/cuda/frame.h"

static __global__ void gather_rows(gw_rows_args a) {
    const int64_t at = gpu_element(), row = at / a.width, i = at % a.width;
    if (row < a.rows) a.out[row * a.out_stride + i] = a.in[a.index[row] * a.in_stride + i];
}

GW_CUDA_OP(gather_rows, gw_rows_args) {
    return gw_cuda_launch_elements("gather_rows", gather_rows, args->rows * args->width, *args);
}
