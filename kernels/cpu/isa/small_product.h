// SPDX-License-Identifier: MIT
// Products of matrices that lie in a thread's cache.
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
    int64_t row; // columns stand one after the other
} gw_right;
typedef struct {
    float *at;
    int64_t row;
    bool adds; // to what is there
} gw_result;

enum { GW_PRODUCT_ROWS = 4 };

// Rows [i, i + rows) and the lanes from column j on, of which `left` are there.
GW_INLINE void gw_product_tile(int rows, int64_t i, int64_t j, int64_t left, int64_t inner, gw_left a, gw_right b,
                               float factor, gw_result c) {
    gw_f32v sum[GW_PRODUCT_ROWS];
    for (int r = 0; r < rows; r++) sum[r] = gw_all(0.0f);
    for (int64_t k = 0; k < inner; k++) {
        const gw_f32v v = gw_load_some(b.at + k * b.row + j, left);
        for (int r = 0; r < rows; r++) sum[r] = gw_fma(gw_all(a.at[(i + r) * a.row + k * a.column]), v, sum[r]);
    }
    for (int r = 0; r < rows; r++) {
        float *to = c.at + (i + r) * c.row + j;
        const gw_f32v value = gw_all(factor) * sum[r];
        gw_store_some(to, c.adds ? value + gw_load_some(to, left) : value, left);
    }
}

// c [m][n] (+)= factor a b
static __attribute__((unused)) void gw_small_product(int64_t m, int64_t n, int64_t inner, gw_left a, gw_right b,
                                                     float factor, gw_result c) {
    for (int64_t i = 0; i < m; i += GW_PRODUCT_ROWS)
        for (int64_t j = 0; j < n; j += GW_LANES) {
            if (m - i >= GW_PRODUCT_ROWS) gw_product_tile(GW_PRODUCT_ROWS, i, j, n - j, inner, a, b, factor, c);
            else
                for (int64_t r = i; r < m; r++) gw_product_tile(1, r, j, n - j, inner, a, b, factor, c);
        }
}

// out [n][m] = in^T, in [m][n] with rows `row` apart
GW_INLINE void gw_turn(int64_t m, int64_t n, const float *in, int64_t row, float *out) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) out[j * m + i] = in[i * row + j];
}

#endif
