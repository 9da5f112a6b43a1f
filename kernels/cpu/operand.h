// SPDX-License-Identifier: MIT
// Packs the operands of a product (gw_operand) as words: pairs of bf16 that follow each other along the depth, the
// first in the lower half. Source and result both have an outer and an inner side, of which the inner is contiguous:
// lines and words, or words and lines. Where they agree, vectors are copied; else squares are transposed.
#ifndef GW_KERNELS_CPU_OPERAND_H
#define GW_KERNELS_CPU_OPERAND_H

#include "kernels/cpu/narrow.h"
#include "kernels/gemm_packed.h"

// Words of the two rows' numbers that stand side by side, and of numbers that follow each other in two vectors.
#if defined GW_ISA_avx512
GW_NARROW_TARGET GW_INLINE gw_f32v gw_operand_pairs(gw_f32v low, gw_f32v high) {
    const __m512i turns = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                                           21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    return (gw_f32v)_mm512_permutexvar_epi16(turns, (__m512i)_mm512_cvtne2ps_pbh((__m512)high, (__m512)low));
}

GW_NARROW_TARGET GW_INLINE gw_f32v gw_operand_joined(gw_f32v first, gw_f32v second) {
    return (gw_f32v)_mm512_cvtne2ps_pbh((__m512)second, (__m512)first);
}
#else
#if GW_LANES == 8
#define GW_EVEN_LANES 0, 2, 4, 6, 8, 10, 12, 14
#define GW_ODD_LANES 1, 3, 5, 7, 9, 11, 13, 15
#else
#define GW_EVEN_LANES 0, 2, 4, 6
#define GW_ODD_LANES 1, 3, 5, 7
#endif

GW_INLINE gw_f32v gw_operand_pairs(gw_f32v low, gw_f32v high) {
    return (gw_f32v)(gw_round_to_upper(low) >> 16 | (gw_round_to_upper(high) & 0xffff0000u));
}

GW_INLINE gw_f32v gw_operand_joined(gw_f32v first, gw_f32v second) {
    return gw_operand_pairs(GW_SHUFFLE_LANES(first, second, GW_EVEN_LANES),
                            GW_SHUFFLE_LANES(first, second, GW_ODD_LANES));
}
#endif

// Calls what comes `ahead` floats later from memory: rows are too short for the processor to see where they lead.
enum { AHEAD = 512, ROWS_AHEAD = 16 };

GW_INLINE void gw_operand_call(const float *row, int64_t ahead) {
    __builtin_prefetch((const void *)((uintptr_t)row + (uintptr_t)ahead * sizeof *row));
}

// Lanes of a row that may end before them or not be there.
GW_INLINE gw_f32v gw_operand_load(const float *from, int64_t left) {
    return left > 0 ? gw_load_some(from, left) : gw_all(0.0f);
}

// The words from `inner` on of outer `outer`.
GW_NARROW_TARGET GW_INLINE gw_f32v gw_operand_words(const gw_operand *o, int64_t outer, int64_t inner,
                                                    const bool lines_adjacent) {
    if (lines_adjacent) {
        const int64_t d = 2 * outer;
        const float *row = o->from + d * o->stride + inner;
        gw_operand_call(row, ROWS_AHEAD * o->stride);
        gw_operand_call(row, (ROWS_AHEAD + 1) * o->stride);
        return gw_operand_pairs(gw_operand_load(row, d < o->depth ? o->lines - inner : 0),
                                gw_operand_load(row + o->stride, d + 1 < o->depth ? o->lines - inner : 0));
    }
    const int64_t d = 2 * inner, left = outer < o->lines ? o->depth - d : 0;
    const float *row = o->from + outer * o->stride + d;
    gw_operand_call(row, AHEAD);
    gw_operand_call(row, AHEAD + GW_LANES);
    const gw_f32v first = gw_operand_load(row, left), second = gw_operand_load(row + GW_LANES, left - GW_LANES);
    return gw_operand_joined(first, second);
}

GW_NARROW_TARGET GW_INLINE void gw_operand_move(const gw_operand *o, const bool lines_adjacent) {
    const int64_t words = o->whole_depth / 2;
    const int64_t outer = lines_adjacent ? words : o->whole_lines, inner = lines_adjacent ? o->whole_lines : words;
    const int64_t step = o->panel ? o->whole_lines : words; // between the result's outer places
    float *to = (float *)o->to;
    if (o->panel == lines_adjacent) {
        for (int64_t i = 0; i < outer; i++)
            for (int64_t j = 0; j < inner; j += GW_LANES)
                gw_store(to + i * step + j, gw_operand_words(o, i, j, lines_adjacent));
        return;
    }
    for (int64_t i = 0; i < outer; i += GW_LANES)
        for (int64_t j = 0; j < inner; j += GW_LANES) {
            gw_f32v v[GW_LANES];
            for (int64_t k = 0; k < GW_LANES; k++) v[k] = gw_operand_words(o, i + k, j, lines_adjacent);
            gw_transpose(v);
            for (int64_t k = 0; k < GW_LANES; k++) gw_store(to + (j + k) * step + i, v[k]);
        }
}

GW_NARROW_TARGET static __attribute__((unused)) void gw_operand_pack(const gw_operand *operand) {
    if (operand->lines_adjacent) gw_operand_move(operand, true);
    else gw_operand_move(operand, false);
}

#endif
