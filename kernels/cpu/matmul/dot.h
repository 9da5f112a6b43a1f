// SPDX-License-Identifier: MIT
// Products of packed bf16 operands by AVX512_BF16, written directly to c: c[r][i] = sum over words of the two products
// of a[r] and b[i] (+ bias[i]) (+ c[r][i]). Compiled once for all instruction sets, because no other processor
// multiplies bf16.
#ifndef GW_KERNELS_CPU_MATMUL_DOT_H
#define GW_KERNELS_CPU_MATMUL_DOT_H

#include "kernels/cpu/matmul/gemm_packed.h"

#if defined __x86_64__
enum { GW_DOT_LANES = 16, GW_DOT_NARROW = 2 * GW_DOT_LANES }; // columns of the narrow b, [words][GW_DOT_NARROW]

void gw_dot_tile(const gw_dot *dot);
void gw_narrow_dot_tile(const gw_dot *dot); // for a narrow b: the same bits

#define GW_DOT_TILE gw_dot_tile
#else
#define GW_DOT_TILE NULL
#endif

#endif
