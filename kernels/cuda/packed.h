// SPDX-License-Identifier: MIT
// The matrix [N][K] of a linear layer, packed for products: f32, or rounded to bf16; a row takes a multiple of 16
// bytes.
#ifndef GW_KERNELS_CUDA_PACKED_H
#define GW_KERNELS_CUDA_PACKED_H

#include "kernels/cuda/frame.h"

struct gw_packed {
    int64_t n, k, stride; // numbers between rows
    gw_precision precision;
    void *number; // of the device
};

gw_status gw_cuda_pack(const float *weight, int64_t n, int64_t k, gw_precision precision, gw_packed **out);
void gw_cuda_packed_free(gw_packed *packed);
int64_t gw_cuda_packed_bytes(const gw_packed *packed);

#endif
