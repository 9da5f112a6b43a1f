// SPDX-License-Identifier: MIT
// Products of matrices of device memory, in the order of the stream: by cuBLASLt on a GPU (cublaslt.cu), by loops over
// the emulated memory in tests (tests/cuda/emulator/products.cc).
#ifndef GW_KERNELS_CUDA_PRODUCTS_H
#define GW_KERNELS_CUDA_PRODUCTS_H

#include "kernels/cuda/frame.h"

// c = f(op(a) op(b) + bias [+ c]) as in gw_gemm_args, of row-major matrices. a and b are both f32 or both bf16; c and
// bias are f32. m, n and k are above 0. Sums are f32, never tf32. Without transpose_a the bits of a row of c do not
// depend on m. Results may be bf16, rounded after f; then there is no bias (see gw_cuda_bias_to_ends) and c is not
// added to.
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
    uint16_t *c_bf16;         // replaces c; or NULL
} gw_cuda_product;

gw_status gw_cuda_multiply(const gw_cuda_product *product);

// cuBLASLt cannot add an f32 bias to a bf16 result. The ends of rows (gw_bf16_stride()) carry it instead: 1, 1, 1 in a,
// and in b three bf16 numbers whose sum is exactly the bias. For bf16 products with transpose_b only.
gw_status gw_cuda_bias_to_ends(gw_cuda_product *product);

// Whether a product can apply this activation itself.
static inline bool gw_cuda_product_applies(gw_activation activation) {
    return activation == GW_ACTIVATION_NONE || activation == GW_ACTIVATION_GELU || activation == GW_ACTIVATION_RELU;
}

#endif
