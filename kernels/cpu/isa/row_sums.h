// SPDX-License-Identifier: MIT
// Products and weighted sums of rows of any width.
#ifndef GW_KERNELS_CPU_ISA_ROW_SUMS_H
#define GW_KERNELS_CPU_ISA_ROW_SUMS_H

#include "kernels/cpu/isa/vector.h"

// to += weight * from
GW_INLINE void gw_add_row(float *to, const float *from, float weight, int64_t width) {
    for (int64_t i = 0; i < width; i += GW_LANES)
        gw_store_some(to + i, gw_load_some(to + i, width - i) + gw_all(weight) * gw_load_some(from + i, width - i),
                      width - i);
}

// Rows `step` apart; the weight of row k is scale weight[k weight_step].
typedef struct {
    const float *from;
    int64_t step, count;
    const float *weight;
    int64_t weight_step;
    float scale;
} gw_weighted_rows;

// Adds the rows to VECTORS vectors of a row from i on, in order, in registers.
#define GW_ADD_ROWS(VECTORS)                                                                                           \
    GW_INLINE void gw_add_rows_##VECTORS(float *to, const gw_weighted_rows *rows, int64_t i, int64_t width) {          \
        gw_f32v sum[VECTORS];                                                                                          \
        for (int v = 0; v < VECTORS; v++) sum[v] = gw_load_some(to + i + v * GW_LANES, width - i - v * GW_LANES);      \
        for (int64_t k = 0; k < rows->count; k++) {                                                                    \
            const gw_f32v one = gw_all(rows->scale * rows->weight[k * rows->weight_step]);                             \
            const float *from = rows->from + k * rows->step + i;                                                       \
            for (int v = 0; v < VECTORS; v++)                                                                          \
                sum[v] = sum[v] + one * gw_load_some(from + v * GW_LANES, width - i - v * GW_LANES);                   \
        }                                                                                                              \
        for (int v = 0; v < VECTORS; v++) gw_store_some(to + i + v * GW_LANES, sum[v], width - i - v * GW_LANES);      \
    }
GW_ADD_ROWS(4)
GW_ADD_ROWS(1)
#undef GW_ADD_ROWS

// to += sum over k of weight_k from_k, term by term, with the same bits as gw_add_row() called for each k.
GW_INLINE void gw_add_rows(float *to, const gw_weighted_rows *rows, int64_t width) {
    int64_t i = 0;
    for (; i + 4 * GW_LANES <= width; i += 4 * GW_LANES) gw_add_rows_4(to, rows, i, width);
    for (; i < width; i += GW_LANES) gw_add_rows_1(to, rows, i, width);
}

GW_INLINE float gw_row_product(const float *a, const float *b, int64_t width) {
    gw_f32v sum = gw_all(0.0f);
    float total = 0;
    for (int64_t i = 0; i < width; i += GW_LANES)
        sum += gw_load_some(a + i, width - i) * gw_load_some(b + i, width - i);
    for (int lane = 0; lane < GW_LANES; lane++) total += sum[lane];
    return total;
}

#endif
