// SPDX-License-Identifier: MIT
// Tests whether a row of a product has the same bits in tiles of every height and at every position in a tile. A
// library selects its kernels by the shape of a tile. Two kernels with the same name may sum in different orders, so a
// test is needed.
#ifndef GW_KERNELS_CPU_MATMUL_TILE_HEIGHTS_H
#define GW_KERNELS_CPU_MATMUL_TILE_HEIGHTS_H

#include "kernels/cpu/matmul/packed.h"

// c[r][i] = sum over d of a[r][d] w[d][i] for rows with tile height number `height`. a [rows][k] of f32 or bf16; c with
// `stride` floats between rows; w is in the context. A result other than 0 is a failure.
typedef int gw_tile_product(void *context, int height, const void *a, float *c);

typedef struct {
    int heights;
    const int64_t *rows; // [heights] the tallest first
    int64_t columns, k, stride;
    gw_precision precision;
    gw_tile_product *multiply;
    void *context;
} gw_tile_trial;

// *same: the number of usable heights: those before the first at which a random row has different bits, at any
// position, than in the tallest; 0 if the tallest itself differs. GW_ERR_UNSUPPORTED: a product failed.
gw_status gw_tile_heights_try(const gw_tile_trial *trial, int *same) GW_MUST_CHECK;

// The key of a trial: the kind of product, its shape, and floats between rows if they matter.
enum { GW_TILES_OF_F32, GW_TILES_OF_BF16, GW_TILES_OF_SGEMM, GW_TILES_OF_SGEMM_TRANSPOSED_B };
typedef struct {
    int64_t form, columns, k, stride, a_stride, b_stride;
} gw_tile_key;

// *same as above, from `try` unless this process has tried a product with this key. Any thread may call this.
gw_status gw_tile_heights(const gw_tile_key *key, gw_status (*try)(const void *context, int *same), const void *context,
                          int *same) GW_MUST_CHECK;

// Memory for `count` floats in distant rows. Pages that are not written take no memory. Free it with free(); NULL with
// a message.
float *gw_tile_memory(int64_t count);

// Random numbers of both signs and eight binary orders, with all bits of the mantissa used. Sums of their products
// reveal another order. A function of the seed.
void gw_tile_random(uint64_t seed, float *to, int64_t count);

#endif
