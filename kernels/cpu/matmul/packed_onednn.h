// SPDX-License-Identifier: MIT
// Internals of packed weights. W is divided into blocks of columns (nc). Each block has products of a few fixed
// heights: whole tiles have the tallest, and the remaining rows the lowest that holds them, padded with zeros in a
// copy. The lowest height is for the few rows when texts are written; their cost is that of reading W. If a trial finds
// that a height changes the bits of a row, this height and all lower ones are not used. Blocks in squares need no
// products.
#ifndef GW_KERNELS_CPU_MATMUL_PACKED_ONEDNN_H
#define GW_KERNELS_CPU_MATMUL_PACKED_ONEDNN_H

#include "kernels/cpu/matmul/onednn.h"

enum { GW_TILE_ROWS = 64, GW_TILE_HEIGHTS = 5, GW_SQUARES_HEIGHTS = 4, GW_PACKED_ALIGNMENT = 64 };
enum { GW_WHOLE_BLOCK, GW_REST_BLOCK, GW_BLOCK_WIDTHS }; // blocks of the usual number of columns, and the last block

struct gw_packed {
    gw_precision precision;
    bool squares; // squares of 16 x 16 words for godwit's own kernels (packed_squares.h), without oneDNN's products
    int64_t n, k, columns, n_blocks; // `columns`: of each block except the last
    int64_t stride;                  // floats between rows of a product
    int heights;
    gw_product product[GW_BLOCK_WIDTHS][GW_TILE_HEIGHTS]; // the tallest first
    int64_t block_bytes;                                  // of packed weights
    char *weight;
};

static inline int64_t gw_divide_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static inline int64_t gw_round_up(int64_t a, int64_t step) {
    return gw_divide_up(a, step) * step;
}

static inline int64_t gw_packed_columns(const gw_packed *packed, int64_t n_block) {
    const int64_t left = packed->n - n_block * packed->columns;
    return left < packed->columns ? left : packed->columns;
}

static inline int64_t gw_packed_height(int index) {
    static const int64_t height[GW_TILE_HEIGHTS] = {GW_TILE_ROWS, 48, 32, 16, 8};
    return height[index];
}

static inline const gw_product *gw_packed_product(const gw_packed *packed, int64_t n_block, int height) {
    const bool whole = gw_packed_columns(packed, n_block) == packed->columns;
    return &packed->product[whole ? GW_WHOLE_BLOCK : GW_REST_BLOCK][height];
}

// Fails with oneDNN's status.
gw_status gw_packed_refuse(const gw_packed *packed, int64_t rows, int status);

#endif
