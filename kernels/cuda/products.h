// SPDX-License-Identifier: MIT
// Products of matrices of device memory, in the order of the stream: by cuBLASLt on a GPU (cublaslt.cu), by loops over
// the emulated memory in tests (tests/cuda/emulator/products.cc).
#ifndef GW_KERNELS_CUDA_PRODUCTS_H
#define GW_KERNELS_CUDA_PRODUCTS_H

#include "kernels/cuda/frame.h"

// c = f(op(a) op(b) + bias [+ c]), as gw_gemm_args says, of row-major matrices that are all f32, or all bf16 but c and
// bias; none of m, n and k is 0. Sums are f32, never of tf32. Each row of c has the same bits whatever m is, but with
// transpose_a.
typedef struct {
    bool transpose_a, transpose_b, accumulate;
    gw_precision precision; // of a and b
    int64_t m, n, k;
    const void *a, *b;
    int64_t a_stride, b_stride; // numbers between stored rows
    float *c;
    int64_t c_stride;
    const float *bias;        // [n] or NULL
    gw_activation activation; // one that gw_cuda_product_applies
} gw_cuda_product;

gw_status gw_cuda_multiply(const gw_cuda_product *product);

// Which activations a product applies on the way.
static inline bool gw_cuda_product_applies(gw_activation activation) {
    return activation == GW_ACTIVATION_NONE || activation == GW_ACTIVATION_GELU || activation == GW_ACTIVATION_RELU;
}

#endif
