// SPDX-License-Identifier: MIT
// The product of attention_pair.h in AMX tiles: 16 rows of a, 16 pairs long, times 16 pairs of rows of b, 16 lanes
// wide, are added to 16 x 16 sums. The depth of a runs along its rows (depth_step 1). Pairs of rows of b have the
// layout of tiles. 2 x 2 tiles of c are summed at once, so that every loaded tile is multiplied twice. Rows and depth
// beyond whole tiles are multiplied in vectors.
#ifndef GW_KERNELS_CPU_ISA_ATTENTION_AMX_H
#define GW_KERNELS_CPU_ISA_ATTENTION_AMX_H

#include "kernels/cpu/isa/amx_square.h"
#include "kernels/cpu/isa/attention_tile.h"

// Rows to prefetch are divided among the squares of 32 x 32 sums and their depth: 64 rows for 64 x 64 sums with 32
// pairs of depth.
GW_INLINE void gw_amx_square(const gw_tile_product *p, int64_t row, int64_t lane, const int rows, const int columns) {
    const int64_t a_bytes = p->row_step * (int64_t)sizeof(float), bytes = p->stride * (int64_t)sizeof(float);
    const float *a = p->a + row * p->row_step, *b = p->b + lane;
    float *c = p->c + row * p->stride + lane;
    if (p->add) gw_amx_load_sums(c, bytes, rows, columns);
    else gw_amx_zero_sums(rows, columns);
    for (int64_t t = 0; t < p->depth; t += GW_AMX_SIDE) {
        for (int64_t k = 0; k < GW_AMX_SIDE / 2; k++) gw_prefetch_row(&p->prefetch, row + lane / 2 + t / 2 + k);
        gw_amx_add_products(a + t, a_bytes, b + t * p->stride, bytes, rows, columns);
    }
    gw_amx_store_sums(c, bytes, rows, columns);
}

GW_INLINE void gw_amx_strip(const gw_tile_product *p, int64_t row, const int rows) {
    int64_t lane = 0;
    for (; lane + 2 * GW_AMX_SIDE <= p->width; lane += 2 * GW_AMX_SIDE) gw_amx_square(p, row, lane, rows, 2);
    if (lane < p->width) gw_amx_square(p, row, lane, rows, 1);
}

// Rows and depth must be whole tiles.
static __attribute__((noinline)) void gw_amx_multiply_whole(const gw_tile_product *p) {
    __asm__ volatile("" ::: "memory");
    int64_t row = 0;
    for (; row + 2 * GW_AMX_SIDE <= p->rows; row += 2 * GW_AMX_SIDE) gw_amx_strip(p, row, 2);
    if (row < p->rows) gw_amx_strip(p, row, 1);
}

static void gw_amx_multiply(const gw_tile_product *p) {
    const int64_t rows = p->rows / GW_AMX_SIDE * GW_AMX_SIDE, depth = p->depth / GW_AMX_SIDE * GW_AMX_SIDE;
    if (p->depth_step != 1 || rows == 0 || depth == 0) {
        gw_pair_multiply(p);
        return;
    }
    gw_tile_product whole = *p, deeper = *p, below = *p;
    whole.rows = rows, whole.depth = depth;
    gw_amx_multiply_whole(&whole);
    deeper.rows = rows, deeper.depth = p->depth - depth, deeper.add = true;
    deeper.a += depth, deeper.b += depth * p->stride;
    if (deeper.depth > 0) gw_pair_multiply(&deeper);
    below.rows = p->rows - rows;
    below.a += rows * p->row_step, below.c += rows * p->stride;
    if (below.rows > 0) gw_pair_multiply(&below);
}

static void gw_amx_turned(float *to, int64_t to_stride, const float *from, int64_t from_stride, int64_t rows,
                          int64_t width, float scale) {
    const int64_t pairs = (rows + 1) / 2;
    for (int64_t t = 0; t < pairs; t += GW_LANES)
        for (int64_t i = 0; i < width; i += GW_LANES) {
            gw_f32v v[GW_LANES];
            for (int64_t k = 0; k < GW_LANES; k++) {
                const int64_t row = 2 * (t + k);
                const float *low = from + row * from_stride + i;
                const gw_f32v first = row < rows ? gw_load_some(low, width - i) * scale : gw_all(0.0f);
                const gw_f32v second =
                    row + 1 < rows ? gw_load_some(low + from_stride, width - i) * scale : gw_all(0.0f);
                v[k] = gw_to_bf16_pairs(first, second);
            }
            gw_transpose(v);
            for (int64_t k = 0; k < GW_LANES && i + k < width; k++)
                gw_store_some(to + (i + k) * to_stride + t, v[k], pairs - t);
        }
}

#endif
