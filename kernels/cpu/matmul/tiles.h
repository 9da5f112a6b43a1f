// SPDX-License-Identifier: MIT
// Products of packed bf16 operands in AMX tiles, written directly to c: those of dot.h on squares (gemm_packed.h). Up
// to 2 x 2 tiles of c are summed at once, over the whole depth. Each number is summed independently, in the order of
// the depth, so the bits of a row do not depend on its neighbours.
#ifndef GW_KERNELS_CPU_MATMUL_TILES_H
#define GW_KERNELS_CPU_MATMUL_TILES_H

#include "kernels/cpu/isa/amx_square.h"
#include "kernels/cpu/matmul/gemm_packed.h"

// Existing rows and columns of 2 x 2 tiles of c.
typedef struct {
    float *c;
    int64_t rows, columns;
    const float *bias; // for the columns, or NULL
} gw_tiles_edge;

enum { GW_TILES_SIDE = 2 * GW_AMX_SIDE };

// Initial sums, if tiles cannot be loaded from c or the bias alone.
static void gw_tiles_begin_edge(const gw_dot *dot, const gw_tiles_edge *edge, float *sums) {
    for (int64_t r = 0; r < GW_TILES_SIDE; r++, sums += GW_TILES_SIDE)
        for (int64_t i = 0; i < GW_TILES_SIDE; i += GW_LANES) {
            const int64_t left = r < edge->rows ? edge->columns - i : 0;
            gw_f32v v = gw_all(0.0f);
            if (left > 0 && edge->bias) v = gw_load_some(edge->bias + i, left);
            if (left > 0 && dot->add) v += gw_load_some(edge->c + r * dot->c_stride + i, left);
            gw_store(sums + i, v);
        }
}

static void gw_tiles_end_edge(const gw_dot *dot, const gw_tiles_edge *edge, const float *sums) {
    for (int64_t r = 0; r < edge->rows; r++, sums += GW_TILES_SIDE)
        for (int64_t i = 0; i < edge->columns; i += GW_LANES)
            gw_store_some(edge->c + r * dot->c_stride + i, gw_load(sums + i), edge->columns - i);
}

GW_INLINE void gw_tiles_sum(const gw_dot *dot, int64_t row, int64_t column, const int rows, const int columns) {
    const int64_t square = GW_AMX_SIDE * (int64_t)sizeof(float), depth = dot->words * square; // bytes
    const gw_amx_operand a = {dot->a + row * dot->words, square, GW_AMX_SIDE * square, depth},
                         b = {dot->b + column * dot->words, square, GW_AMX_SIDE * square, depth};
    gw_amx_add_depth(&a, &b, dot->words / GW_AMX_SIDE, rows, columns);
}

GW_INLINE void gw_tiles_square(const gw_dot *dot, int64_t row, int64_t column, const int rows, const int columns) {
    const gw_tiles_edge edge = {.c = dot->c + row * dot->c_stride + column,
                                .rows = dot->rows - row < GW_TILES_SIDE ? dot->rows - row : GW_TILES_SIDE,
                                .columns =
                                    dot->columns - column < GW_TILES_SIDE ? dot->columns - column : GW_TILES_SIDE,
                                .bias = dot->bias ? dot->bias + column : NULL};
    const bool whole = edge.rows == rows * GW_AMX_SIDE && edge.columns == columns * GW_AMX_SIDE;
    const bool in_place = whole && !(dot->add && dot->bias);
    float sums[GW_TILES_SIDE * GW_TILES_SIDE] __attribute__((aligned(64)));
    float *c = in_place ? edge.c : sums;
    const int64_t bytes = (in_place ? dot->c_stride : GW_TILES_SIDE) * (int64_t)sizeof(float);
    if (!in_place) gw_tiles_begin_edge(dot, &edge, sums);
    __asm__ volatile("" ::: "memory"); // the compiler does not know that tiles read and write memory
    if (!in_place || dot->add) gw_amx_load_sums(c, bytes, rows, columns);
    else if (dot->bias) gw_amx_load_sums_of_row(edge.bias, rows, columns);
    else gw_amx_zero_sums(rows, columns);
    gw_tiles_sum(dot, row, column, rows, columns);
    gw_amx_store_sums(c, bytes, rows, columns);
    __asm__ volatile("" ::: "memory");
    if (!in_place) gw_tiles_end_edge(dot, &edge, sums);
}

static __attribute__((noinline)) void gw_tiles_22(const gw_dot *dot, int64_t row, int64_t column) {
    gw_tiles_square(dot, row, column, 2, 2);
}

// The last rows and columns.
static __attribute__((noinline)) void gw_tiles_last(const gw_dot *dot, int64_t row, int64_t column) {
    const bool tall = dot->rows - row > GW_AMX_SIDE, wide = dot->columns - column > GW_AMX_SIDE;
    if (tall) gw_tiles_square(dot, row, column, 2, 1);
    else if (wide) gw_tiles_square(dot, row, column, 1, 2);
    else gw_tiles_square(dot, row, column, 1, 1);
}

static void gw_tiles_dot(const gw_dot *dot) {
    gw_amx_begin();
    for (int64_t column = 0; column < dot->columns; column += GW_TILES_SIDE)
        for (int64_t row = 0; row < dot->rows; row += GW_TILES_SIDE) {
            const bool both = dot->rows - row > GW_AMX_SIDE && dot->columns - column > GW_AMX_SIDE;
            if (both) gw_tiles_22(dot, row, column);
            else gw_tiles_last(dot, row, column);
        }
    gw_amx_end();
}

#endif
