// SPDX-License-Identifier: MIT
// Products of packed bf16 operands by AVX512_BF16, straight into c: c[r][i] = sum over words of the two products of
// a[r] and b[i] (+ bias[i]) (+ c[r][i]). A micro-tile of 6 rows by 64 columns is summed in 24 registers; each of
// its numbers by itself, in the order of the depth, so that a row's bits do not depend on the rows beside it.
// Whatever the instruction set of the rest is: no other processor multiplies bf16.
#ifndef GW_KERNELS_CPU_MATMUL_DOT_H
#define GW_KERNELS_CPU_MATMUL_DOT_H

#include "kernels/cpu/matmul/gemm_packed.h"

#if defined __x86_64__
#include <immintrin.h>

enum { GW_DOT_VECTORS = 4, GW_DOT_LANES = 16, GW_DOT_HALF = GW_MR / 2 };

#define GW_DOT_TARGET __attribute__((target("avx512f,avx512bf16")))
#define GW_DOT_INLINE static inline __attribute__((always_inline)) GW_DOT_TARGET

GW_DOT_INLINE void gw_dot_rows(__m512 sum[GW_DOT_HALF][GW_DOT_VECTORS], const uint32_t *a, int64_t row,
                               const __m512bh b[GW_DOT_VECTORS]) {
    for (int r = 0; r < GW_DOT_HALF; r++) {
        const __m512bh all = (__m512bh)_mm512_set1_epi32((int)a[r * row]);
        for (int v = 0; v < GW_DOT_VECTORS; v++) sum[r][v] = _mm512_dpbf16_ps(sum[r][v], all, b[v]);
    }
}

// Columns from `columns` on are left alone.
GW_DOT_INLINE void gw_dot_store(const gw_dot *dot, float *c, const __m512 sum[GW_DOT_VECTORS]) {
    for (int v = 0; v < GW_DOT_VECTORS; v++) {
        const int64_t column = v * GW_DOT_LANES, left = dot->columns - column;
        const __mmask16 lanes = left >= GW_DOT_LANES ? 0xffff : left > 0 ? (__mmask16)((1 << left) - 1) : 0;
        __m512 out = sum[v];
        if (dot->bias) out = _mm512_add_ps(out, _mm512_maskz_loadu_ps(lanes, dot->bias + column));
        if (dot->add) out = _mm512_add_ps(out, _mm512_maskz_loadu_ps(lanes, c + column));
        _mm512_mask_storeu_ps(c + column, lanes, out);
    }
}

// c is called from memory while the products are summed.
GW_DOT_INLINE void gw_dot_prefetch(const gw_dot *dot, const float *c, int64_t rows) {
    for (int64_t r = 0; r < rows; r++)
        for (int v = 0; v < GW_DOT_VECTORS; v++) __builtin_prefetch(c + r * dot->c_stride + v * GW_DOT_LANES);
}

GW_DOT_TARGET static __attribute__((noinline)) void gw_dot_micro_kernel(const gw_dot *dot, int64_t first,
                                                                        int64_t rows) {
    __m512 upper[GW_DOT_HALF][GW_DOT_VECTORS], lower[GW_DOT_HALF][GW_DOT_VECTORS];
    float *c = dot->c + first * dot->c_stride;
    if (dot->add) gw_dot_prefetch(dot, c, rows);
    for (int r = 0; r < GW_DOT_HALF; r++)
        for (int v = 0; v < GW_DOT_VECTORS; v++) upper[r][v] = lower[r][v] = _mm512_setzero_ps();
    int64_t part = 0;
    do {
        const uint32_t *a = dot->a + first * dot->row + part * dot->a_step, *below = a + GW_DOT_HALF * dot->row;
        const uint32_t *from = dot->b + part * dot->b_step;
        for (int64_t word = 0; word < dot->words; word++) {
            __m512bh b[GW_DOT_VECTORS];
            for (int v = 0; v < GW_DOT_VECTORS; v++) b[v] = (__m512bh)_mm512_loadu_si512(from + v * GW_DOT_LANES);
            gw_dot_rows(upper, a, dot->row, b);
            gw_dot_rows(lower, below, dot->row, b);
            a += dot->word, below += dot->word, from += GW_NR;
        }
    } while (++part < dot->parts);
    for (int r = 0; r < GW_MR; r++)
        if (r < rows) gw_dot_store(dot, c + r * dot->c_stride, r < GW_DOT_HALF ? upper[r] : lower[r - GW_DOT_HALF]);
}

static __attribute__((unused)) void gw_dot_tile(const gw_dot *dot) {
    for (int64_t row = 0; row < dot->rows; row += GW_MR)
        gw_dot_micro_kernel(dot, row, dot->rows - row < GW_MR ? dot->rows - row : GW_MR);
}

#define GW_DOT_TILE gw_dot_tile
#else
#define GW_DOT_TILE NULL
#endif

#endif
