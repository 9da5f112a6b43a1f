// SPDX-License-Identifier: MIT
// Packs the operands of a product (gw_operand) as words: pairs of bf16 that follow each other along the depth, the
// first in the lower half. Source and result both have an outer and an inner side, of which the inner is contiguous:
// lines and words, or words and lines. Where they agree, vectors are copied; else squares are transposed.
#ifndef GW_KERNELS_CPU_OPERAND_H
#define GW_KERNELS_CPU_OPERAND_H

#include "kernels/cpu/narrow.h"
#include "kernels/gemm_packed.h"

#if GW_LANES == 16
#define GW_EVEN_LANES 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define GW_ODD_LANES 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#elif GW_LANES == 8
#define GW_EVEN_LANES 0, 2, 4, 6, 8, 10, 12, 14
#define GW_ODD_LANES 1, 3, 5, 7, 9, 11, 13, 15
#else
#define GW_EVEN_LANES 0, 2, 4, 6
#define GW_ODD_LANES 1, 3, 5, 7
#endif

GW_INLINE gw_f32v gw_operand_pairs(gw_f32v low, gw_f32v high) {
    return (gw_f32v)(gw_round_to_upper(low) >> 16 | (gw_round_to_upper(high) & 0xffff0000u));
}

// Lanes of a row that may end before them or not be there.
GW_INLINE gw_f32v gw_operand_load(const float *from, int64_t left) {
    return left > 0 ? gw_load_some(from, left) : gw_all(0.0f);
}

// The words from `inner` on of outer `outer`.
GW_INLINE gw_f32v gw_operand_words(const gw_operand *o, int64_t outer, int64_t inner, const bool lines_adjacent) {
    if (lines_adjacent) {
        const int64_t d = 2 * outer;
        const float *row = o->from + d * o->stride + inner;
        return gw_operand_pairs(gw_operand_load(row, d < o->depth ? o->lines - inner : 0),
                                gw_operand_load(row + o->stride, d + 1 < o->depth ? o->lines - inner : 0));
    }
    const int64_t d = 2 * inner, left = outer < o->lines ? o->depth - d : 0;
    const float *row = o->from + outer * o->stride + d;
    const gw_f32v first = gw_operand_load(row, left), second = gw_operand_load(row + GW_LANES, left - GW_LANES);
    return gw_operand_pairs(GW_SHUFFLE_LANES(first, second, GW_EVEN_LANES),
                            GW_SHUFFLE_LANES(first, second, GW_ODD_LANES));
}

GW_INLINE void gw_operand_move(const gw_operand *o, const bool lines_adjacent) {
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

static __attribute__((unused)) void gw_operand_pack(const gw_operand *operand) {
    if (operand->lines_adjacent) gw_operand_move(operand, true);
    else gw_operand_move(operand, false);
}

#endif
