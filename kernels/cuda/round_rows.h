// SPDX-License-Identifier: MIT
// Operands of products in bf16: rows rounded into scratch memory, each padded to whole groups of eight numbers (16
// bytes), so that all of them are aligned, and with eight more at its end, as tensors that are stored so.
#ifndef GW_KERNELS_CUDA_ROUND_ROWS_H
#define GW_KERNELS_CUDA_ROUND_ROWS_H

#include "kernels/cuda/frame.h"

// Numbers from one rounded row to the next.
static inline int64_t gw_cuda_rounded_stride(int64_t width) {
    return gw_bf16_stride(width);
}

// Floats of memory of so many rounded rows.
static inline int64_t gw_cuda_rounded_floats(int64_t rows, int64_t width) {
    return rows * gw_cuda_rounded_stride(width) / 2;
}

typedef struct {
    const float *in;
    int64_t stride, rows, width;
    gw_activation activation; // of the numbers, before they are rounded
    uint16_t *out;            // 16 bytes aligned; what pads a row is written, too, but not its end
} gw_cuda_rounding;

gw_status gw_cuda_round_rows(const char *op, const gw_cuda_rounding *rounding);

#endif
