// SPDX-License-Identifier: MIT
// f32 products with the compiler's vectors, on one thread, for processors without fast ones in oneDNN (all but x86-64).
//   c[r][i] = sum over d of a[r][d] b[d][i]   (+ c[r][i])
// Each number is summed independently in the order of the depth. Its bits depend only on its row and column.
#ifndef GW_KERNELS_CPU_MATMUL_GEMM_STRIPS_H
#define GW_KERNELS_CPU_MATMUL_GEMM_STRIPS_H

#include "kernels/kernel.h"

#ifdef __x86_64__
enum { GW_BY_STRIPS = false };
#else
enum { GW_BY_STRIPS = true };
#endif

// The product without the bias, written or added to c.
void gw_strips_gemm(const gw_gemm_args *args, bool add);

// b is W^T of a linear layer with W [columns][k], packed once into this number of bytes.
int64_t gw_strips_bytes(int64_t columns, int64_t k);
void gw_strips_pack(const float *weight, int64_t columns, int64_t k, float *to);
// c [rows][columns] = a W^T, `stride` floats between rows of c; a [rows][k].
void gw_strips_linear(const float *a, const float *packed, int64_t rows, int64_t columns, int64_t k, float *c,
                      int64_t stride);

#endif
