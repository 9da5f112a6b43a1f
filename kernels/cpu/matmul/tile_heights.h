// SPDX-License-Identifier: MIT
// Whether a row of a product has the same bits in tiles of every height and at every place of a tile. A library picks
// its kernels by the shape of a tile, and two of one name may still sum in another order, so it is tried.
#ifndef GW_KERNELS_CPU_MATMUL_TILE_HEIGHTS_H
#define GW_KERNELS_CPU_MATMUL_TILE_HEIGHTS_H

#include "kernels/cpu/matmul/packed.h"

// c[r][i] = sum over d of a[r][d] w[d][i] for rows of tile height number `height`; a [rows][k] of f32 or bf16, c with
// `stride` floats between rows, w what the context holds. Not 0: it failed.
typedef int gw_tile_product(void *context, int height, const void *a, float *c);

typedef struct {
    int heights;
    const int64_t *rows; // [heights] the tallest first
    int64_t columns, k, stride;
    gw_precision precision;
    gw_tile_product *multiply;
    void *context;
} gw_tile_trial;

// *same: how many heights may be used: those before the first where a random row has other bits at one of its places
// than in the tallest; 0 where the tallest itself has. GW_ERR_UNSUPPORTED: a product failed.
gw_status gw_tile_heights_try(const gw_tile_trial *trial, int *same) GW_MUST_CHECK;

// What a trial's answer depends on: the way the product is made, its shape, and floats between rows where they count.
enum { GW_TILES_OF_F32, GW_TILES_OF_BF16, GW_TILES_OF_SGEMM, GW_TILES_OF_SGEMM_TRANSPOSED_B };
typedef struct {
    int64_t form, columns, k, stride, a_stride, b_stride;
} gw_tile_key;

// *same as above, from `try` where no product of that key was tried before in this process. Any thread may ask.
gw_status gw_tile_heights(const gw_tile_key *key, gw_status (*try)(const void *context, int *same), const void *context,
                          int *same) GW_MUST_CHECK;

// Room for `count` floats in rows that may lie far apart: pages that nobody writes take no memory, as large ones would.
// Freed with free(); NULL with a message.
float *gw_tile_memory(int64_t count);

// Numbers of both signs and eight binary orders, all bits of the mantissa in use: sums of their products show any other
// order. A function of the seed.
void gw_tile_random(uint64_t seed, float *to, int64_t count);

#endif
