// SPDX-License-Identifier: MIT
// Products of matrices that fit into a thread's cache.
#ifndef GW_KERNELS_CPU_ISA_SMALL_PRODUCT_H
#define GW_KERNELS_CPU_ISA_SMALL_PRODUCT_H

#include "kernels/cpu/isa/vector.h"

// An operand: element (i, j) at [i * row + j * column].
typedef struct {
    const float *at;
    int64_t row, column;
} gw_left;
typedef struct {
    const float *at;
    int64_t row; // columns are contiguous
} gw_right;
typedef struct {
    float *at;
    int64_t row;
    bool adds; // adds to the present values
} gw_result;

enum { GW_PRODUCT_ROWS = 4, GW_PRODUCT_VECTORS = 2 };

// Rows [i, i + rows) and `vectors` vectors from column j on; `left` columns of them exist.
GW_INLINE void gw_product_tile(int rows, int vectors, int64_t i, int64_t j, int64_t left, int64_t inner, gw_left a,
                               gw_right b, float factor, gw_result c) {
    gw_f32v sum[GW_PRODUCT_ROWS][GW_PRODUCT_VECTORS];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++) sum[r][v] = gw_all(0.0f);
    for (int64_t k = 0; k < inner; k++) {
        gw_f32v lanes[GW_PRODUCT_VECTORS];
        for (int v = 0; v < vectors; v++)
            lanes[v] = gw_load_some(b.at + k * b.row + j + v * GW_LANES, left - v * GW_LANES);
        for (int r = 0; r < rows; r++) {
            const gw_f32v one = gw_all(a.at[(i + r) * a.row + k * a.column]);
            for (int v = 0; v < vectors; v++) sum[r][v] = gw_fma(one, lanes[v], sum[r][v]);
        }
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++) {
            float *to = c.at + (i + r) * c.row + j + v * GW_LANES;
            const gw_f32v value = gw_all(factor) * sum[r][v];
            gw_store_some(to, c.adds ? value + gw_load_some(to, left - v * GW_LANES) : value, left - v * GW_LANES);
        }
}

// All rows of `vectors` vectors from column j on.
GW_INLINE void gw_product_columns(int vectors, int64_t m, int64_t j, int64_t left, int64_t inner, gw_left a, gw_right b,
                                  float factor, gw_result c) {
    int64_t i = 0;
    for (; i + GW_PRODUCT_ROWS <= m; i += GW_PRODUCT_ROWS)
        gw_product_tile(GW_PRODUCT_ROWS, vectors, i, j, left, inner, a, b, factor, c);
    for (; i < m; i++) gw_product_tile(1, vectors, i, j, left, inner, a, b, factor, c);
}

// c [m][n] (+)= factor a b
static __attribute__((unused)) void gw_small_product(int64_t m, int64_t n, int64_t inner, gw_left a, gw_right b,
                                                     float factor, gw_result c) {
    int64_t j = 0;
    for (; j + GW_PRODUCT_VECTORS * GW_LANES <= n; j += GW_PRODUCT_VECTORS * GW_LANES)
        gw_product_columns(GW_PRODUCT_VECTORS, m, j, GW_PRODUCT_VECTORS * GW_LANES, inner, a, b, factor, c);
    for (; j < n; j += GW_LANES) gw_product_columns(1, m, j, n - j, inner, a, b, factor, c);
}

// out [n][m] = in^T, in [m][n] with rows `row` apart
GW_INLINE void gw_turn(int64_t m, int64_t n, const float *in, int64_t row, float *out) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) out[j * m + i] = in[i * row + j];
}

#endif
