// SPDX-License-Identifier: MIT
// Vectors to bf16, the upper halves of f32, rounded to the nearest and ties to even; a NaN stays one. gw_narrow() takes
// AVX512_BF16's instruction in functions that have GW_NARROW_TARGET (subnormal numbers become 0); for processors that
// have it, as have all that multiply bf16.
#ifndef GW_KERNELS_CPU_NARROW_H
#define GW_KERNELS_CPU_NARROW_H

#include "kernels/cpu/vector.h"

typedef uint16_t gw_u16v __attribute__((vector_size(2 * GW_LANES)));

// Each lane's upper half is its bf16; the lower half is left as it comes.
GW_INLINE gw_u32v gw_round_to_upper(gw_f32v v) {
    const gw_u32v bits = (gw_u32v)v, even = bits + 0x7fff + (bits >> 16 & 1);
    return (gw_u32v)gw_select(v == v, (gw_f32v)even, (gw_f32v)(bits | 0x400000));
}

#if defined GW_ISA_avx512
#define GW_NARROW_TARGET __attribute__((target("avx512bf16")))
GW_NARROW_TARGET GW_INLINE gw_u16v gw_narrow(gw_f32v v) {
    return (gw_u16v)_mm512_cvtneps_pbh((__m512)v);
}
#else
#define GW_NARROW_TARGET
GW_INLINE gw_u16v gw_narrow(gw_f32v v) {
    const gw_u32v rounded = gw_round_to_upper(v) >> 16;
    gw_u16v narrow;
    for (int lane = 0; lane < GW_LANES; lane++) narrow[lane] = (uint16_t)rounded[lane];
    return narrow;
}
#endif

// The first `count` lanes; count may exceed GW_LANES.
GW_NARROW_TARGET GW_INLINE void gw_store_narrow(uint16_t *to, gw_f32v v, int64_t count) {
    const gw_u16v narrow = gw_narrow(v);
    if (__builtin_expect(count >= GW_LANES, 1)) memcpy(to, &narrow, sizeof narrow);
    else memcpy(to, &narrow, (size_t)count * sizeof *to);
}

#endif
