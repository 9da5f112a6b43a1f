// SPDX-License-Identifier: MIT
// Packs the operands of a product (gw_operand), or a function of them, as words: pairs of bf16, neighbours along the
// depth, the first in the lower half. Source and result both have an outer and a contiguous inner side: lines and
// words, or words and lines. If they agree, vectors are copied; otherwise squares are transposed. The result may be
// divided into squares of 16 x 16 words, each contiguous, for AMX tiles.
#include "kernels/cpu/matmul/operand.h"

#include "kernels/cpu/isa/activation.h"
#include "kernels/cpu/isa/bf16.h"

// Calls what comes `distance` floats later from memory: rows are too short for the processor to see where they lead.
enum { PREFETCH_FLOATS = 512, PREFETCH_ROWS = 16 };

GW_INLINE void gw_operand_prefetch(const float *row, int64_t distance) {
    __builtin_prefetch((const void *)((uintptr_t)row + (uintptr_t)distance * sizeof *row));
}

// Lanes of a row that may end before them or not be there.
GW_INLINE gw_f32v gw_operand_load(const float *from, int64_t left) {
    return left > 0 ? gw_load_some(from, left) : gw_all(0.0f);
}

// The words from `inner` on of outer `outer`.
GW_BF16_TARGET GW_INLINE gw_f32v gw_operand_words(const gw_operand *o, int64_t outer, int64_t inner,
                                                  const bool lines_adjacent, gw_f32v *sum, gw_f32v (*f)(gw_f32v)) {
    if (lines_adjacent) {
        const int64_t d = 2 * outer;
        const float *row = o->from + d * o->stride + inner;
        gw_operand_prefetch(row, PREFETCH_ROWS * o->stride);
        gw_operand_prefetch(row, (PREFETCH_ROWS + 1) * o->stride);
        const gw_f32v first = f(gw_operand_load(row, d < o->depth ? o->lines - inner : 0)),
                      second = f(gw_operand_load(row + o->stride, d + 1 < o->depth ? o->lines - inner : 0));
        if (sum) sum[inner / GW_LANES] += first + second;
        return gw_to_bf16_pairs(first, second);
    }
    const int64_t d = 2 * inner, left = outer < o->lines ? o->depth - d : 0;
    const float *row = o->from + outer * o->stride + d;
    gw_operand_prefetch(row, PREFETCH_FLOATS);
    gw_operand_prefetch(row, PREFETCH_FLOATS + GW_LANES);
    const gw_f32v first = gw_operand_load(row, left), second = gw_operand_load(row + GW_LANES, left - GW_LANES);
    return gw_to_bf16_neighbours(f(first), f(second));
}

// Where 16 words of the result belong (fewer in narrower vectors), `inner` a multiple of their number.
GW_INLINE float *gw_operand_place(const gw_operand *o, int64_t outer, int64_t inner) {
    const int64_t words = o->whole_depth / 2, rest = inner % GW_SQUARE, square = inner - rest;
    float *to = (float *)o->to;
    if (!o->squares) return to + outer * (o->micro_panel ? o->whole_lines : words) + inner;
    if (o->micro_panel) return to + square * words + outer * GW_SQUARE + rest;
    return to + outer / GW_SQUARE * GW_SQUARE * words + square * GW_SQUARE + outer % GW_SQUARE * GW_SQUARE + rest;
}

GW_BF16_TARGET GW_INLINE void gw_operand_move(const gw_operand *o, const bool lines_adjacent, gw_f32v *sum,
                                              gw_f32v (*f)(gw_f32v)) {
    const int64_t words = o->whole_depth / 2;
    const int64_t outer = lines_adjacent ? words : o->whole_lines, inner = lines_adjacent ? o->whole_lines : words;
    if (o->micro_panel == lines_adjacent) {
        for (int64_t i = 0; i < outer; i++)
            for (int64_t j = 0; j < inner; j += GW_LANES)
                gw_store(gw_operand_place(o, i, j), gw_operand_words(o, i, j, lines_adjacent, sum, f));
        return;
    }
    for (int64_t i = 0; i < outer; i += GW_LANES)
        for (int64_t j = 0; j < inner; j += GW_LANES) {
            gw_f32v v[GW_LANES];
            if (f == gw_same)
                for (int64_t k = 0; k < GW_LANES; k++) v[k] = gw_operand_words(o, i + k, j, lines_adjacent, sum, f);
            else // one copy of the function's code, not one for each lane
#pragma GCC unroll 1
                for (int64_t k = 0; k < GW_LANES; k++) v[k] = gw_operand_words(o, i + k, j, lines_adjacent, sum, f);
            gw_transpose(v);
            for (int64_t k = 0; k < GW_LANES; k++) gw_store(gw_operand_place(o, j + k, i), v[k]);
        }
}

// Each line is summed by itself, in the order of the depth.
GW_BF16_TARGET GW_INLINE void gw_operand_move_and_sum(const gw_operand *o, gw_f32v (*f)(gw_f32v)) {
    gw_f32v sum[GW_MC / GW_LANES] = {{0}};
    gw_operand_move(o, true, sum, f);
    for (int64_t i = 0; i < o->lines; i += GW_LANES)
        gw_store_some(o->sum + i, gw_load_some(o->sum + i, o->lines - i) + sum[i / GW_LANES], o->lines - i);
}

GW_BF16_TARGET void gw_operand_pack(const gw_operand *operand) {
    if (operand->sum) GW_WITH_FUNCTION(operand->function, gw_operand_move_and_sum, operand);
    else if (operand->lines_adjacent) GW_WITH_FUNCTION(operand->function, gw_operand_move, operand, true, NULL);
    else GW_WITH_FUNCTION(operand->function, gw_operand_move, operand, false, NULL);
}
