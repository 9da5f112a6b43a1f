// SPDX-License-Identifier: MIT
// Squares of sums in AMX tiles: 16 rows of a, 16 pairs of bf16 long, times 16 pairs of rows of b, 16 lanes wide, are
// added to 16 x 16 sums. Up to 2 x 2 tiles of c are summed at once, so that every loaded tile is multiplied twice.
#ifndef GW_KERNELS_CPU_ISA_AMX_SQUARE_H
#define GW_KERNELS_CPU_ISA_AMX_SQUARE_H

#include "kernels/cpu/amx.h"
#include "kernels/cpu/isa/vector.h"

// Sets the tile shapes. oneDNN runs on the same threads, sets other shapes and releases them.
static void gw_amx_begin(void) {
    _tile_loadconfig(&gw_amx_full);
}

static void gw_amx_end(void) {
    _tile_release();
}

// Sums are tiles 0 1 / 2 3, rows of a are tiles 4 and 5, lanes of b tiles 6 and 7.
GW_INLINE void gw_amx_load_sums(const float *c, int64_t bytes, const int rows, const int columns) {
    const float *below = (const float *)((const char *)c + GW_AMX_SIDE * bytes);
    _tile_loadd(0, c, bytes);
    if (columns == 2) _tile_loadd(1, c + GW_AMX_SIDE, bytes);
    if (rows == 2) _tile_loadd(2, below, bytes);
    if (rows == 2 && columns == 2) _tile_loadd(3, below + GW_AMX_SIDE, bytes);
}

// Loads the same row into every row of sums.
GW_INLINE void gw_amx_load_sums_of_row(const float *row, const int rows, const int columns) {
    _tile_loadd(0, row, 0);
    if (columns == 2) _tile_loadd(1, row + GW_AMX_SIDE, 0);
    if (rows == 2) _tile_loadd(2, row, 0);
    if (rows == 2 && columns == 2) _tile_loadd(3, row + GW_AMX_SIDE, 0);
}

GW_INLINE void gw_amx_zero_sums(const int rows, const int columns) {
    _tile_zero(0);
    if (columns == 2) _tile_zero(1);
    if (rows == 2) _tile_zero(2);
    if (rows == 2 && columns == 2) _tile_zero(3);
}

GW_INLINE void gw_amx_store_sums(float *c, int64_t bytes, const int rows, const int columns) {
    float *below = (float *)((char *)c + GW_AMX_SIDE * bytes);
    _tile_stored(0, c, bytes);
    if (columns == 2) _tile_stored(1, c + GW_AMX_SIDE, bytes);
    if (rows == 2) _tile_stored(2, below, bytes);
    if (rows == 2 && columns == 2) _tile_stored(3, below + GW_AMX_SIDE, bytes);
}

GW_INLINE void gw_amx_add_products(const float *a, int64_t a_bytes, const float *b, int64_t b_bytes, const int rows,
                                   const int columns) {
    _tile_loadd(6, b, b_bytes);
    _tile_loadd(4, a, a_bytes);
    _tile_dpbf16ps(0, 4, 6);
    if (columns == 2) _tile_loadd(7, b + GW_AMX_SIDE, b_bytes);
    if (columns == 2) _tile_dpbf16ps(1, 4, 7);
    if (rows == 2) _tile_loadd(5, (const char *)a + GW_AMX_SIDE * a_bytes, a_bytes);
    if (rows == 2) _tile_dpbf16ps(2, 5, 6);
    if (rows == 2 && columns == 2) _tile_dpbf16ps(3, 5, 7);
}

// Memory layout of an operand's tiles, in bytes: step between rows of a tile, between tiles along the depth, and
// between the two tiles in a multiplication.
typedef struct {
    const void *first;
    int64_t row, deeper, other;
} gw_amx_operand;

GW_INLINE void gw_amx_multiply_tiles(const int rows, const int columns) {
    _tile_dpbf16ps(0, 4, 6);
    if (rows == 2) _tile_dpbf16ps(2, 5, 6);
    if (columns == 2) _tile_dpbf16ps(1, 4, 7);
    if (rows == 2 && columns == 2) _tile_dpbf16ps(3, 5, 7);
}

// Prefetches the lines of a tile.
GW_INLINE void gw_amx_prefetch(const char *tile, int64_t row) {
    for (int64_t r = 0; r < GW_AMX_SIDE; r++) __builtin_prefetch(tile + r * row);
}

// Adds the products of all `steps` tiles of the depth. Each tile is loaded as soon as the last product has read the
// previous one. b is rarely in the first cache, so it is prefetched some tiles ahead.
enum { GW_AMX_AHEAD = 4 };
GW_INLINE void gw_amx_add_depth(const gw_amx_operand *of_a, const gw_amx_operand *of_b, int64_t steps, const int rows,
                                const int columns) {
    const char *a = of_a->first, *b = of_b->first;
    _tile_loadd(6, b, of_b->row);
    _tile_loadd(4, a, of_a->row);
    if (rows == 2) _tile_loadd(5, a + of_a->other, of_a->row);
    if (columns == 2) _tile_loadd(7, b + of_b->other, of_b->row);
    for (; steps > 1; steps--) {
        a += of_a->deeper, b += of_b->deeper;
        gw_amx_prefetch(b + GW_AMX_AHEAD * of_b->deeper, of_b->row);
        if (columns == 2) gw_amx_prefetch(b + of_b->other + GW_AMX_AHEAD * of_b->deeper, of_b->row);
        _tile_dpbf16ps(0, 4, 6);
        if (rows == 2) _tile_dpbf16ps(2, 5, 6);
        _tile_loadd(6, b, of_b->row);
        if (columns == 2) _tile_dpbf16ps(1, 4, 7);
        _tile_loadd(4, a, of_a->row);
        if (rows == 2 && columns == 2) _tile_dpbf16ps(3, 5, 7);
        if (columns == 2) _tile_loadd(7, b + of_b->other, of_b->row);
        if (rows == 2) _tile_loadd(5, a + of_a->other, of_a->row);
    }
    gw_amx_multiply_tiles(rows, columns);
}

#endif
