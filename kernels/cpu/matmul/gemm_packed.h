// SPDX-License-Identifier: MIT
// Matrix products in bf16 with operands that are rounded and packed for each product, because operands change in
// training. For shapes of layers this costs a twentieth to a tenth of the product. In f32 it would cost more than
// packed operands gain over operands in place.
//
// Products are written directly to c, by dots of AVX512_BF16 or in AMX tiles. If the processor has AMX and the selected
// instruction set does not, oneDNN multiplies.
#ifndef GW_KERNELS_CPU_MATMUL_GEMM_PACKED_H
#define GW_KERNELS_CPU_MATMUL_GEMM_PACKED_H

#include "kernels/cpu/matmul/block_product.h"
#include "kernels/kernel.h"

// Lines (rows of a, or columns of b) along the depth of a product, to be packed. Lines from `lines` up to whole_lines
// (a multiple of 16), and depth from `depth` up to whole_depth (a multiple of 64), are zeros.
typedef struct {
    const float *from;
    int64_t stride;
    bool lines_adjacent; // number d of line i is from[d stride + i], else from[i stride + d]
    int64_t lines, depth, whole_lines, whole_depth;
    bool micro_panel;       // to: pair after pair of d, with all lines side by side; otherwise line after line
    bool squares;           // to: squares of 16 lines by 16 pairs, one after another along d, then along lines
    uint32_t *to;           // pairs of bf16 along the depth, the first in the lower half
    gw_activation function; // applied to the numbers before rounding
    float *sum;             // sum[i] += the numbers of line i, if lines are adjacent and at most GW_MC; or NULL
} gw_operand;

// A tile of c over one block of the depth: rows of `a`, padded to whole micro-tiles of GW_MR or to squares of
// GW_SQUARE, and a micro-panel of b.
enum { GW_MR = 6, GW_SQUARE = 16 };
typedef struct {
    int64_t rows, columns, words; // pairs of the depth
    const uint32_t *a;
    int64_t row, word; // step between rows and between words of a; not for squares
    const uint32_t *b; // [words][GW_NR], or squares
    const float *bias; // [columns] or NULL
    bool add;          // adds to c
    float *c;
    int64_t c_stride;
    int64_t parts, a_step, b_step; // if more than one, this number of such products is summed; steps in words between
                                   // them
} gw_dot;

// Functions of an instruction set for the product.
typedef struct {
    void (*pack)(const gw_operand *operand);
    void (*dot)(const gw_dot *dot); // NULL: oneDNN multiplies into a tile in the cache, and `finish` completes it
    bool squares;                   // dot() takes both operands in squares; its micro-tile is 2 x 2 of them
    // c[r][i] = tile[r][i] (+ bias[i], unless NULL) (+ c[r][i], with `add`) for `rows` x `columns`
    void (*finish)(float *c, int64_t stride, const float *tile, int64_t tile_stride, int64_t rows, int64_t columns,
                   const float *bias, bool add);
} gw_gemm_parts;

gw_status gw_gemm_packed(const gw_gemm_args *args, const gw_gemm_parts *parts) GW_MUST_CHECK;
int64_t gw_gemm_packed_scratch(const gw_gemm_args *args); // for any M and a K of at most this

#endif
