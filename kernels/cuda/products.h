// SPDX-License-Identifier: MIT
// Products of matrices of device memory, in the order of the stream: by cuBLASLt on a GPU (cublaslt.cu), by loops over
// the emulated memory in tests (tests/cuda/emulator/products.cc).
#ifndef GW_KERNELS_CUDA_PRODUCTS_H
#define GW_KERNELS_CUDA_PRODUCTS_H

#include "kernels/cuda/frame.h"

// c = f(op(a) op(b) + bias [+ c]), as gw_gemm_args says, of row-major matrices that are all f32, or all bf16 but c and
// bias; none of m, n and k is 0. Sums are f32, never of tf32. Each row of c has the same bits whatever m is, but with
// transpose_a. Results may be bf16, rounded after f; these have no bias (gw_cuda_bias_to_ends) and are not added to.
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
    uint16_t *c_bf16;         // in the place of c; or NULL
} gw_cuda_product;

gw_status gw_cuda_multiply(const gw_cuda_product *product);

// cuBLASLt adds no bias of f32 to a result of bf16. The ends of rows (gw_bf16_stride()) then carry it: 1, 1, 1 in a, in
// b three numbers of bf16 whose sum is the bias, bit for bit. Of a product of bf16 with transpose_b alone.
gw_status gw_cuda_bias_to_ends(gw_cuda_product *product);

// Which activations a product applies on the way.
static inline bool gw_cuda_product_applies(gw_activation activation) {
    return activation == GW_ACTIVATION_NONE || activation == GW_ACTIVATION_GELU || activation == GW_ACTIVATION_RELU;
}

#endif
