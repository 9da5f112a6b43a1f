// SPDX-License-Identifier: MIT
// Rounds operands of bf16 products into scratch memory. Each row is padded to a multiple of eight numbers (16 bytes),
// so that all rows are aligned, and has eight more numbers at its end, like tensors that are stored as bf16.
#ifndef GW_KERNELS_CUDA_ROUND_ROWS_H
#define GW_KERNELS_CUDA_ROUND_ROWS_H

#include "kernels/cuda/frame.h"

// Numbers from one rounded row to the next.
static inline int64_t gw_cuda_rounded_stride(int64_t width) {
    return gw_bf16_stride(width);
}

// Floats of memory that `rows` rounded rows take.
static inline int64_t gw_cuda_rounded_floats(int64_t rows, int64_t width) {
    return rows * gw_cuda_rounded_stride(width) / 2;
}

typedef struct {
    const float *in;
    int64_t stride, rows, width;
    gw_activation activation; // applied before rounding
    uint16_t *out;            // 16 bytes aligned; the padding of a row is written, its end is not
} gw_cuda_rounding;

gw_status gw_cuda_round_rows(const char *op, const gw_cuda_rounding *rounding);

#endif
