// SPDX-License-Identifier: MIT
// b is packed in panels of 12 columns, [depth][12]; a piece of a panel stays in the first cache while strips of 8 rows
// of a pass over it, whose 8 x 12 sums stay in 24 registers: of 32, as Arm has.
#include "kernels/cpu/matmul/gemm_strips.h"

#include "kernels/cpu/isa/vector.h"

enum { ROWS = 8, VECTORS = 3, PANEL = VECTORS * GW_LANES, DEPTH = 256 };

// One panel's product with all rows over a piece of the depth. Number d of row r is a[r row + d step].
typedef struct {
    const float *a;
    int64_t row, step;
    int64_t rows, columns, depth; // columns: at most PANEL
    const float *panel;           // [depth][PANEL]
    float *c;
    int64_t c_stride;
    bool add;
} panel_product;

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

GW_INLINE void put(const panel_product *p, float *c, const gw_f32v sum[VECTORS]) {
#pragma GCC unroll 3
    for (int v = 0; v < VECTORS; v++) {
        const int64_t i = v * GW_LANES, left = p->columns - i;
        if (left > 0) gw_store_some(c + i, p->add ? gw_load_some(c + i, left) + sum[v] : sum[v], left);
    }
}

// Rows that are not there are computed as the last one.
static void multiply_strip(const panel_product *p, int64_t first) {
    gw_f32v sum[ROWS][VECTORS];
    const float *a[ROWS];
    const int64_t rows = least(p->rows - first, ROWS);
    float *c = p->c + first * p->c_stride;
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++) {
        a[r] = p->a + (first + least(r, rows - 1)) * p->row;
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++) sum[r][v] = gw_all(0.0f);
    }
    for (int64_t d = 0; d < p->depth; d++) {
        const float *b = p->panel + d * PANEL;
        const gw_f32v b0 = gw_load(b), b1 = gw_load(b + GW_LANES), b2 = gw_load(b + 2 * GW_LANES);
#pragma GCC unroll 8
        for (int r = 0; r < ROWS; r++) {
            const gw_f32v all = gw_all(a[r][d * p->step]);
            sum[r][0] = gw_fma(all, b0, sum[r][0]);
            sum[r][1] = gw_fma(all, b1, sum[r][1]);
            sum[r][2] = gw_fma(all, b2, sum[r][2]);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < ROWS; r++)
        if (r < rows) put(p, c + r * p->c_stride, sum[r]);
}

static void multiply_panel(const panel_product *p) {
    for (int64_t row = 0; row < p->rows; row += ROWS) multiply_strip(p, row);
}

// Number d of column i is b[i column + d step]; columns that are not there are zeros.
static void pack_panel(const float *b, int64_t column, int64_t step, int64_t columns, int64_t depth, float *to) {
    for (int64_t d = 0; d < depth; d++, to += PANEL) {
        for (int64_t i = 0; i < columns; i++) to[i] = b[i * column + d * step];
        for (int64_t i = columns; i < PANEL; i++) to[i] = 0.0f;
    }
}

void gw_strips_gemm(const gw_gemm_args *args, bool add) {
    float panel[DEPTH * PANEL];
    panel_product p = {.row = args->transpose_a ? 1 : args->a_stride,
                       .step = args->transpose_a ? args->a_stride : 1,
                       .rows = args->m,
                       .panel = panel,
                       .c_stride = args->c_stride};
    const int64_t column = args->transpose_b ? args->b_stride : 1, step = args->transpose_b ? 1 : args->b_stride;
    for (int64_t i = 0; i < args->n; i += PANEL) {
        p.columns = least(args->n - i, PANEL);
        p.c = args->c + i;
        for (int64_t d = 0; d == 0 || d < args->k; d += DEPTH) {
            p.depth = least(args->k - d, DEPTH);
            p.a = args->a + d * p.step;
            p.add = add || d > 0;
            pack_panel(args->b + i * column + d * step, column, step, p.columns, p.depth, panel);
            multiply_panel(&p);
        }
    }
}

int64_t gw_strips_bytes(int64_t columns, int64_t k) {
    return (columns + PANEL - 1) / PANEL * PANEL * k * (int64_t)sizeof(float);
}

void gw_strips_pack(const float *weight, int64_t columns, int64_t k, float *to) {
    for (int64_t i = 0; i < columns; i += PANEL)
        pack_panel(weight + i * k, k, 1, least(columns - i, PANEL), k, to + i * k);
}

void gw_strips_linear(const float *a, const float *packed, int64_t rows, int64_t columns, int64_t k, float *c,
                      int64_t stride) {
    panel_product p = {.row = k, .step = 1, .rows = rows, .c_stride = stride};
    for (int64_t i = 0; i < columns; i += PANEL) {
        p.columns = least(columns - i, PANEL);
        p.c = c + i;
        for (int64_t d = 0; d == 0 || d < k; d += DEPTH) {
            p.depth = least(k - d, DEPTH);
            p.a = a + d;
            p.panel = packed + i * k + d * PANEL;
            p.add = d > 0;
            multiply_panel(&p);
        }
    }
}
