// SPDX-License-Identifier: MIT
// Matrix products whose operands are packed on the way: no operand stays as it is in training, and packing costs a
// fiftieth of the product. Needs AVX-512, where oneDNN's sums do not depend on the height of a tile.
#ifndef GW_KERNELS_GEMM_PACKED_H
#define GW_KERNELS_GEMM_PACKED_H

#include "kernels/kernel.h"

// Lines (rows of a, or columns of b) of numbers along the depth of a product, to be packed; those from `lines` and
// `depth` on up to whole_lines (a multiple of 16) and whole_depth (of 64) are zeros.
typedef struct {
    gw_precision precision;
    const float *from;
    int64_t stride;
    bool lines_adjacent; // number d of line i is from[d stride + i], else from[i stride + d]
    int64_t lines, depth, whole_lines, whole_depth;
    bool panel; // to: numbers d of all lines side by side (64 of them), in pairs of d where bf16; else line after line
    void *to;
} gw_operand;

// What an instruction set adds to the product.
typedef struct {
    void (*pack)(const gw_operand *operand);
    // c[r][i] = tile[r][i] (+ bias[i], unless NULL) (+ c[r][i], where `add`) for `rows` x `columns`
    void (*finish)(float *c, int64_t stride, const float *tile, int64_t tile_stride, int64_t rows, int64_t columns,
                   const float *bias, bool add);
} gw_gemm_parts;

gw_status gw_gemm_packed(const gw_gemm_args *args, const gw_gemm_parts *parts) GW_MUST_CHECK;

#endif
