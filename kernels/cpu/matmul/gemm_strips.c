// SPDX-License-Identifier: MIT
// b is packed in micro-panels of 12 columns, [depth][12]. kc rows of a panel stay in the first cache for all rows of a,
// which are processed in groups of 8. The micro-tile of 8 x 12 sums takes 24 of Arm's 32 registers.
#include "kernels/cpu/matmul/gemm_strips.h"

#include "kernels/cpu/isa/vector.h"

enum { MR = 8, VECTORS = 3, NR = VECTORS * GW_LANES, KC = 256 };

// One micro-panel's product with all rows over a block of the depth. Number d of row r is a[r row + d step].
typedef struct {
    const float *a;
    int64_t row, step;
    int64_t rows, columns, depth; // columns: at most NR
    const float *micro_panel;     // [depth][NR]
    float *c;
    int64_t c_stride;
    bool add;
} micro_panel_product;

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

GW_INLINE void put(const micro_panel_product *p, float *c, const gw_f32v sum[VECTORS]) {
#pragma GCC unroll 3
    for (int v = 0; v < VECTORS; v++) {
        const int64_t i = v * GW_LANES, left = p->columns - i;
        if (left > 0) gw_store_some(c + i, p->add ? gw_load_some(c + i, left) + sum[v] : sum[v], left);
    }
}

// Rows that are not there are computed as the last one.
static void micro_kernel(const micro_panel_product *p, int64_t first) {
    gw_f32v sum[MR][VECTORS];
    const float *a[MR];
    const int64_t rows = least(p->rows - first, MR);
    float *c = p->c + first * p->c_stride;
#pragma GCC unroll 8
    for (int r = 0; r < MR; r++) {
        a[r] = p->a + (first + least(r, rows - 1)) * p->row;
#pragma GCC unroll 3
        for (int v = 0; v < VECTORS; v++) sum[r][v] = gw_all(0.0f);
    }
    for (int64_t d = 0; d < p->depth; d++) {
        const float *b = p->micro_panel + d * NR;
        const gw_f32v b0 = gw_load(b), b1 = gw_load(b + GW_LANES), b2 = gw_load(b + 2 * GW_LANES);
#pragma GCC unroll 8
        for (int r = 0; r < MR; r++) {
            const gw_f32v all = gw_all(a[r][d * p->step]);
            sum[r][0] = gw_fma(all, b0, sum[r][0]);
            sum[r][1] = gw_fma(all, b1, sum[r][1]);
            sum[r][2] = gw_fma(all, b2, sum[r][2]);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < MR; r++)
        if (r < rows) put(p, c + r * p->c_stride, sum[r]);
}

static void macro_kernel(const micro_panel_product *p) {
    for (int64_t row = 0; row < p->rows; row += MR) micro_kernel(p, row);
}

// Number d of column i is b[i column + d step]; columns that are not there are zeros.
static void pack_micro_panel(const float *b, int64_t column, int64_t step, int64_t columns, int64_t depth, float *to) {
    for (int64_t d = 0; d < depth; d++, to += NR) {
        for (int64_t i = 0; i < columns; i++) to[i] = b[i * column + d * step];
        for (int64_t i = columns; i < NR; i++) to[i] = 0.0f;
    }
}

void gw_strips_gemm(const gw_gemm_args *args, bool add) {
    float micro_panel[KC * NR];
    micro_panel_product p = {.row = args->transpose_a ? 1 : args->a_stride,
                             .step = args->transpose_a ? args->a_stride : 1,
                             .rows = args->m,
                             .micro_panel = micro_panel,
                             .c_stride = args->c_stride};
    const int64_t column = args->transpose_b ? args->b_stride : 1, step = args->transpose_b ? 1 : args->b_stride;
    for (int64_t i = 0; i < args->n; i += NR) {
        p.columns = least(args->n - i, NR);
        p.c = args->c + i;
        for (int64_t d = 0; d == 0 || d < args->k; d += KC) {
            p.depth = least(args->k - d, KC);
            p.a = args->a + d * p.step;
            p.add = add || d > 0;
            pack_micro_panel(args->b + i * column + d * step, column, step, p.columns, p.depth, micro_panel);
            macro_kernel(&p);
        }
    }
}

int64_t gw_strips_bytes(int64_t columns, int64_t k) {
    return (columns + NR - 1) / NR * NR * k * (int64_t)sizeof(float);
}

void gw_strips_pack(const float *weight, int64_t columns, int64_t k, float *to) {
    for (int64_t i = 0; i < columns; i += NR)
        pack_micro_panel(weight + i * k, k, 1, least(columns - i, NR), k, to + i * k);
}

void gw_strips_linear(const float *a, const float *packed, int64_t rows, int64_t columns, int64_t k, float *c,
                      int64_t stride) {
    micro_panel_product p = {.row = k, .step = 1, .rows = rows, .c_stride = stride};
    for (int64_t i = 0; i < columns; i += NR) {
        p.columns = least(columns - i, NR);
        p.c = c + i;
        for (int64_t d = 0; d == 0 || d < k; d += KC) {
            p.depth = least(k - d, KC);
            p.a = a + d;
            p.micro_panel = packed + i * k + d * NR;
            p.add = d > 0;
            macro_kernel(&p);
        }
    }
}
