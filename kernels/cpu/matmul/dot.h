// SPDX-License-Identifier: MIT
// Products of packed bf16 operands by AVX512_BF16, straight into c: c[r][i] = sum over words of the two products of
// a[r] and b[i] (+ bias[i]) (+ c[r][i]). A micro-tile of 6 rows by 64 columns is summed in 24 registers; each of
// its numbers by itself, in the order of the depth, so that a row's bits do not depend on the rows beside it. Of narrow
// panels it has 12 rows by 32 columns, with the same bits.
// Whatever the instruction set of the rest is: no other processor multiplies bf16.
#ifndef GW_KERNELS_CPU_MATMUL_DOT_H
#define GW_KERNELS_CPU_MATMUL_DOT_H

#include "kernels/cpu/matmul/gemm_packed.h"

#if defined __x86_64__
#include <immintrin.h>

enum { GW_DOT_LANES = 16, GW_DOT_NARROW = 2 * GW_DOT_LANES }; // columns of the narrow b, [words][GW_DOT_NARROW]

#define GW_DOT_TARGET __attribute__((target("avx512f,avx512bf16")))
#define GW_DOT_INLINE static inline __attribute__((always_inline)) GW_DOT_TARGET

#define DOT_SHAPED(name) gw_dot_##name
#define DOT_HALF 3
#define DOT_VECTORS 4
#include "kernels/cpu/matmul/dot_tile.h"
#define DOT_SHAPED(name) gw_narrow_dot_##name
#define DOT_HALF 6
#define DOT_VECTORS 2
#include "kernels/cpu/matmul/dot_tile.h"

#define GW_DOT_TILE gw_dot_tile
#else
#define GW_DOT_TILE NULL
#endif

#endif
