// SPDX-License-Identifier: MIT
// Rows by index: a thread a number of a gathered row; scattered ones by row of the result.
#include "kernels/cuda/indexed_rows.h"

static __global__ void gather_rows(gw_rows_args a) {
    const int64_t at = gpu_element(), row = at / a.width, i = at % a.width;
    if (row >= a.rows) return;
    float *out = a.out + row * a.out_stride + i;
    *out = (a.accumulate ? *out : 0.0f) + a.in[a.index[row] * a.in_stride + i];
}

GW_CUDA_OP(gather_rows, gw_rows_args) {
    return gw_cuda_launch_elements("gather_rows", gather_rows, args->rows * args->width, *args);
}

static __global__ void scatter_add_rows(gpu_indexed_rows a) {
    gpu_add_indexed_rows(a);
}

static __global__ void scatter_add_few_rows(gpu_indexed_rows a, int64_t parts, float *sums) {
    gpu_sum_few_rows(a, parts, sums);
}

GW_CUDA_OP(scatter_add_rows, gw_rows_args) {
    const gpu_indexed_rows a = {args->rows, args->width, args->index, args->in,         args->in_stride,
                                nullptr,    1.0f,        args->out,   args->out_stride, args->out_rows};
    return gw_cuda_add_indexed_rows("scatter_add_rows", {scatter_add_rows, scatter_add_few_rows}, a);
}
