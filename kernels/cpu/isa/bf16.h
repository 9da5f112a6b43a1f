// SPDX-License-Identifier: MIT
// Conversion of vectors to bf16, the upper halves of f32, rounded to nearest, ties to even; NaN stays NaN. In functions
// with GW_BF16_TARGET, gw_to_bf16() uses AVX512_BF16's instruction (subnormal numbers become 0). All processors that
// multiply bf16 have it.
#ifndef GW_KERNELS_CPU_ISA_BF16_H
#define GW_KERNELS_CPU_ISA_BF16_H

#include "kernels/cpu/isa/vector.h"

typedef uint16_t gw_u16v __attribute__((vector_size(2 * GW_LANES)));

// Each lane's upper half is its bf16; the lower half is undefined.
GW_INLINE gw_u32v gw_round_to_upper(gw_f32v v) {
    const gw_u32v bits = (gw_u32v)v, even = bits + 0x7fff + (bits >> 16 & 1);
    return (gw_u32v)gw_select(v == v, (gw_f32v)even, (gw_f32v)(bits | 0x400000));
}

#if defined GW_ISA_avx512
#define GW_BF16_TARGET __attribute__((target("avx512bf16")))
GW_BF16_TARGET GW_INLINE gw_u16v gw_to_bf16(gw_f32v v) {
    return (gw_u16v)_mm512_cvtneps_pbh((__m512)v);
}

// Pairs of bf16, the first in the lower half of a lane: of the same lanes of two vectors; and of neighbouring lanes of
// `first`, then of `second`.
GW_BF16_TARGET GW_INLINE gw_f32v gw_to_bf16_pairs(gw_f32v low, gw_f32v high) {
    const __m512i both = (__m512i)_mm512_cvtne2ps_pbh((__m512)high, (__m512)low); // 16 of low, then 16 of high
    const __m512i turns = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                                           21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    return (gw_f32v)_mm512_permutexvar_epi16(turns, both);
}

GW_BF16_TARGET GW_INLINE gw_f32v gw_to_bf16_neighbours(gw_f32v first, gw_f32v second) {
    return (gw_f32v)(__m512i)_mm512_cvtne2ps_pbh((__m512)second, (__m512)first);
}
#else
#define GW_BF16_TARGET
GW_INLINE gw_u16v gw_to_bf16(gw_f32v v) {
    const gw_u32v rounded = gw_round_to_upper(v) >> 16;
    gw_u16v bf16;
    for (int lane = 0; lane < GW_LANES; lane++) bf16[lane] = (uint16_t)rounded[lane];
    return bf16;
}

#if GW_LANES == 8
#define GW_EVEN_LANES 0, 2, 4, 6, 8, 10, 12, 14
#define GW_ODD_LANES 1, 3, 5, 7, 9, 11, 13, 15
#else
#define GW_EVEN_LANES 0, 2, 4, 6
#define GW_ODD_LANES 1, 3, 5, 7
#endif

GW_INLINE gw_f32v gw_to_bf16_pairs(gw_f32v low, gw_f32v high) {
    return (gw_f32v)(gw_round_to_upper(low) >> 16 | (gw_round_to_upper(high) & 0xffff0000u));
}

GW_INLINE gw_f32v gw_to_bf16_neighbours(gw_f32v first, gw_f32v second) {
    return gw_to_bf16_pairs(GW_SHUFFLE_LANES(first, second, GW_EVEN_LANES),
                            GW_SHUFFLE_LANES(first, second, GW_ODD_LANES));
}
#endif

// Stores the first `count` lanes; count may exceed GW_LANES.
GW_BF16_TARGET GW_INLINE void gw_store_bf16(uint16_t *to, gw_f32v v, int64_t count) {
    const gw_u16v bf16 = gw_to_bf16(v);
    if (__builtin_expect(count >= GW_LANES, 1)) memcpy(to, &bf16, sizeof bf16);
    else memcpy(to, &bf16, (size_t)count * sizeof *to);
}

#endif
