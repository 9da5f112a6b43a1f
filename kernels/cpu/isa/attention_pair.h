// SPDX-License-Identifier: MIT
// The product of block attention in bf16, for instruction sets that have it. Numbers of a and b are pairs of bf16,
// neighbours in depth, the first in the lower half of 32 bits. Sums are f32 (AVX512_BF16's dpbf16, AMX's tdpbf16ps). An
// odd depth is padded with 0.
#ifndef GW_KERNELS_CPU_ISA_ATTENTION_PAIR_H
#define GW_KERNELS_CPU_ISA_ATTENTION_PAIR_H

#include "kernels/cpu/isa/attention_tile.h"
#include "kernels/cpu/isa/attention_weights.h"
#include "kernels/cpu/isa/bf16.h"

// NULL without such instructions.
typedef struct {
    // Called by a thread before and after products; NULL: not needed.
    void (*begin)(void);
    void (*end)(void);
    void (*multiply)(const gw_tile_product *product);
    // to[t][i] = pair of from[2t][i] and from[2t + 1][i], for `rows` rows of `width` numbers; in place allowed
    void (*rows)(float *to, int64_t to_stride, const float *from, int64_t from_stride, int64_t rows, int64_t width);
    // the same, transposed, times scale: to[i][t] = pair of scale from[2t][i] and scale from[2t + 1][i], for products
    // that need the depth of a along its rows. NULL: not needed.
    void (*turned)(float *to, int64_t to_stride, const float *from, int64_t from_stride, int64_t rows, int64_t width,
                   float scale);
    // to[i][t] = pair of scale from[i][2t] and scale from[i][2t + 1], end to end
    void (*columns)(float *to, const float *from, int64_t from_stride, int64_t rows, int64_t width, float scale);
    // converts the output of columns() to that of rows(), for `rows` rows of `width` numbers: to[t][i] = pair of number
    // i of row 2t and of row 2t + 1
    void (*turn)(float *to, int64_t to_stride, const float *from, int64_t rows, int64_t width);
    // converts `keys` rows of scores z, `vectors` (1 or GW_TILE_VECTORS) wide, to e^(z - m) in the format of rows(), in
    // place; adds them to the lanes' sums; shifts are m log2 e
    void (*exponentials)(float *scores, int64_t stride, int64_t keys, const float *shifts, float *sum, int vectors);
    // replaces z and dout . v by P and dz in the format of rows(); `columns`, [queries][stride / 2], gets dz as pairs
    // of keys
    void (*weights)(const gw_weights *weights, float *columns);
} gw_pair_functions;

#if defined GW_ISA_avx512
#define GW_PAIR_TARGET GW_BF16_TARGET

GW_PAIR_TARGET GW_INLINE gw_f32v gw_pair_broadcast(const float *a) {
    int32_t pair;
    memcpy(&pair, a, sizeof pair);
    return (gw_f32v)_mm512_set1_epi32(pair);
}

GW_PAIR_TARGET GW_INLINE gw_f32v gw_pair_multiply_add(gw_f32v one, gw_f32v lanes, gw_f32v sum) {
    return (gw_f32v)_mm512_dpbf16_ps((__m512)sum, (__m512bh)one, (__m512bh)lanes);
}

GW_DEFINE_MULTIPLY(gw_pair, GW_PAIR_TARGET)

GW_PAIR_TARGET static void gw_pair_rows(float *to, int64_t to_stride, const float *from, int64_t from_stride,
                                        int64_t rows, int64_t width) {
    for (int64_t row = 0; row < rows; row += 2)
        for (int64_t i = 0; i < width; i += GW_LANES) {
            const float *low = from + row * from_stride + i;
            const gw_f32v high = row + 1 < rows ? gw_load_some(low + from_stride, width - i) : gw_all(0.0f);
            gw_store_some(to + row / 2 * to_stride + i, gw_to_bf16_pairs(gw_load_some(low, width - i), high),
                          width - i);
        }
}

GW_PAIR_TARGET static void gw_pair_columns(float *to, const float *from, int64_t from_stride, int64_t rows,
                                           int64_t width, float scale) {
    for (int64_t row = 0; row < rows; row++, to += (width + 1) / 2)
        for (int64_t i = 0; i < width; i += 2 * GW_LANES) {
            const float *low = from + row * from_stride + i;
            const int64_t left = width - i;
            const gw_f32v first = gw_load_some(low, left),
                          second = left > GW_LANES ? gw_load_some(low + GW_LANES, left - GW_LANES) : gw_all(0.0f);
            gw_store_some(to + i / 2, gw_to_bf16_neighbours(first * scale, second * scale), (left + 1) / 2);
        }
}

GW_PAIR_TARGET static void gw_pair_turn(float *to, int64_t to_stride, const float *from, int64_t rows, int64_t width) {
    const __m512i first = _mm512_set_epi16(47, 15, 46, 14, 45, 13, 44, 12, 43, 11, 42, 10, 41, 9, 40, 8, 39, 7, 38, 6,
                                           37, 5, 36, 4, 35, 3, 34, 2, 33, 1, 32, 0);
    const __m512i second = _mm512_add_epi16(first, _mm512_set1_epi16(16));
    const int64_t words = (width + 1) / 2;
    for (int64_t row = 0; row < rows; row += 2, to += to_stride)
        for (int64_t t = 0; t < words; t += GW_LANES) {
            const float *even = from + row * words + t;
            const int64_t left = width - 2 * t;
            const __m512i low = (__m512i)gw_load_some(even, words - t);
            const __m512i high = (__m512i)(row + 1 < rows ? gw_load_some(even + words, words - t) : gw_all(0.0f));
            gw_store_some(to + 2 * t, (gw_f32v)_mm512_permutex2var_epi16(low, first, high), left);
            if (left > GW_LANES)
                gw_store_some(to + 2 * t + GW_LANES, (gw_f32v)_mm512_permutex2var_epi16(low, second, high),
                              left - GW_LANES);
        }
}

// 2^x by a polynomial of degree 3, with an error of 7.5e-5: a fiftieth of bf16's. 0 for -infinity.
GW_PAIR_TARGET GW_INLINE gw_f32v gw_pair_exp2(gw_f32v x) {
    const gw_f32v r = (gw_f32v)_mm512_reduce_ps((__m512)x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    gw_f32v p = gw_all(7.8024581132e-2f);
    p = gw_fma(p, r, gw_all(2.2606721398e-1f));
    p = gw_fma(p, r, gw_all(6.9583344202e-1f));
    p = gw_fma(p, r, gw_all(9.9992523717e-1f));
    return (gw_f32v)_mm512_scalef_ps((__m512)p, (__m512)x); // takes 2^floor(x)
}

GW_PAIR_TARGET GW_INLINE void gw_pair_exponentials_of(float *scores, int64_t stride, int64_t keys, const float *shifts,
                                                      float *sums, const int vectors) {
    gw_f32v shift[GW_TILE_VECTORS], sum[GW_TILE_VECTORS];
    for (int v = 0; v < vectors; v++) {
        shift[v] = -gw_finite_shift(gw_load(shifts + v * GW_LANES));
        sum[v] = gw_load(sums + v * GW_LANES);
    }
    for (int64_t j = 0; j < keys; j += 2)
        for (int v = 0; v < vectors; v++) {
            const float *low = scores + j * stride + v * GW_LANES;
            const gw_f32v first = gw_pair_exp2(gw_fma(gw_load(low), gw_all(GW_LOG2_E), shift[v]));
            gw_f32v second = gw_all(0.0f);
            if (j + 1 < keys) second = gw_pair_exp2(gw_fma(gw_load(low + stride), gw_all(GW_LOG2_E), shift[v]));
            gw_store(scores + j / 2 * stride + v * GW_LANES, gw_to_bf16_pairs(first, second));
            sum[v] += first + second;
        }
    for (int v = 0; v < vectors; v++) gw_store(sums + v * GW_LANES, sum[v]);
}

GW_PAIR_TARGET static void gw_pair_exponentials(float *scores, int64_t stride, int64_t keys, const float *shifts,
                                                float *sum, int vectors) {
    if (vectors == GW_TILE_VECTORS) gw_pair_exponentials_of(scores, stride, keys, shifts, sum, GW_TILE_VECTORS);
    else gw_pair_exponentials_of(scores, stride, keys, shifts, sum, 1);
}

// For `queries` neighbours (1 or 2) and the keys of `vectors` vectors (1 or 2). P and dz of missing ones are 0.
GW_PAIR_TARGET GW_INLINE void gw_pair_weights_at(const gw_weights_row *row, int64_t lane, float *pair,
                                                 float *pair_gradient, float *const *columns, const int queries,
                                                 const int vectors) {
    gw_f32v p[2][2] = {{{0}}}, dz[2][2] = {{{0}}};
    for (int r = 0; r < queries; r++) {
        const gw_f32v shift = row[r].log_sum * -GW_LOG2_E;
        for (int v = 0; v < vectors; v++) {
            const int64_t at = lane + v * GW_LANES;
            p[r][v] = gw_pair_exp2(gw_fma(gw_load(row[r].scores + at), gw_all(GW_LOG2_E), shift));
            dz[r][v] = gw_weights_gradient(&row[r], at, p[r][v]);
        }
    }
    for (int v = 0; v < vectors; v++) {
        gw_store(pair + lane + v * GW_LANES, gw_to_bf16_pairs(p[0][v], p[1][v]));
        gw_store(pair_gradient + lane + v * GW_LANES, gw_to_bf16_pairs(dz[0][v], dz[1][v]));
    }
    for (int r = 0; r < queries; r++)
        gw_store_some(columns[r] + lane / 2, gw_to_bf16_neighbours(dz[r][0], dz[r][1]), vectors * GW_LANES / 2);
}

GW_PAIR_TARGET GW_INLINE void gw_pair_weights_rows(const gw_weights *w, int64_t i, float *columns, const int queries) {
    gw_weights_row row[2];
    float *const column[] = {columns + i * w->stride / 2, columns + (i + 1) * w->stride / 2};
    float *pair = w->scores + i / 2 * w->stride, *pair_gradient = w->score_gradient + i / 2 * w->stride;
    int64_t lane = 0;
    for (int r = 0; r < queries; r++) row[r] = gw_weights_row_of(w, i + r);
    for (; lane + GW_LANES < w->keys; lane += 2 * GW_LANES)
        gw_pair_weights_at(row, lane, pair, pair_gradient, column, queries, 2);
    if (lane < w->keys) gw_pair_weights_at(row, lane, pair, pair_gradient, column, queries, 1);
}

GW_PAIR_TARGET static void gw_pair_weights(const gw_weights *weights, float *columns) {
    const gw_weights w = *weights; // no store changes this copy
    int64_t i = 0;
    for (; i + 1 < w.queries; i += 2) gw_pair_weights_rows(&w, i, columns, 2);
    if (i < w.queries) gw_pair_weights_rows(&w, i, columns, 1);
}

#if defined GW_ISA_amx
#include "kernels/cpu/isa/attention_amx.h"
#define GW_PAIR_BEGIN gw_amx_begin
#define GW_PAIR_END gw_amx_end
#define GW_PAIR_MULTIPLY gw_amx_multiply
#define GW_PAIR_TURNED gw_amx_turned
#else
#define GW_PAIR_BEGIN NULL
#define GW_PAIR_END NULL
#define GW_PAIR_MULTIPLY gw_pair_multiply
#define GW_PAIR_TURNED NULL
#endif

static const gw_pair_functions gw_pairs = {.begin = GW_PAIR_BEGIN,
                                           .end = GW_PAIR_END,
                                           .multiply = GW_PAIR_MULTIPLY,
                                           .rows = gw_pair_rows,
                                           .turned = GW_PAIR_TURNED,
                                           .columns = gw_pair_columns,
                                           .turn = gw_pair_turn,
                                           .exponentials = gw_pair_exponentials,
                                           .weights = gw_pair_weights};
#else
static const gw_pair_functions gw_pairs = {NULL};
#endif

#endif
