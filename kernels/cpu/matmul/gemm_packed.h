// SPDX-License-Identifier: MIT
// Matrix products in bf16 whose operands are rounded and packed on the way: no operand stays as it is in training. On
// the shapes of layers this costs a twentieth to a tenth of the product. In f32 it would cost more than packed operands
// gain over those in place.
//
// Products are made straight into c, by dots of AVX512_BF16 or in the tiles of AMX; where the processor has AMX and the
// instruction set in use has not, by oneDNN.
#ifndef GW_KERNELS_CPU_MATMUL_GEMM_PACKED_H
#define GW_KERNELS_CPU_MATMUL_GEMM_PACKED_H

#include "kernels/cpu/matmul/block_product.h"
#include "kernels/kernel.h"

// Lines (rows of a, or columns of b) of numbers along the depth of a product, to be packed; those from `lines` and
// `depth` on up to whole_lines (a multiple of 16) and whole_depth (of 64) are zeros.
typedef struct {
    const float *from;
    int64_t stride;
    bool lines_adjacent; // number d of line i is from[d stride + i], else from[i stride + d]
    int64_t lines, depth, whole_lines, whole_depth;
    bool micro_panel;       // to: pair after pair of d, of all lines side by side; else line after line
    bool squares;           // to: the same of 16 lines by 16 pairs, one square after another along d, then along lines
    uint32_t *to;           // pairs of bf16 along the depth, the first in the lower half
    gw_activation function; // of the numbers, before they are rounded
    float *sum;             // sum[i] += the numbers of line i, where lines are adjacent and at most GW_MC; or NULL
} gw_operand;

// A tile of c over one block of the depth: rows of `a`, padded to whole micro-tiles of GW_MR or to squares of
// GW_SQUARE, and a micro-panel of b.
enum { GW_MR = 6, GW_SQUARE = 16 };
typedef struct {
    int64_t rows, columns, words; // pairs of the depth
    const uint32_t *a;
    int64_t row, word; // from one row or word of a to the next; not of squares
    const uint32_t *b; // [words][GW_NR], or squares
    const float *bias; // [columns] or NULL
    bool add;          // to what stands in c
    float *c;
    int64_t c_stride;
    int64_t parts, a_step, b_step; // more than one: that many such products are summed, each so many words on
} gw_dot;

// What an instruction set adds to the product.
typedef struct {
    void (*pack)(const gw_operand *operand);
    void (*dot)(const gw_dot *dot); // NULL: oneDNN multiplies, into a tile of the cache, and `finish` does the rest
    bool squares;                   // dot() takes both operands in squares, and 2 x 2 of them are its micro-tile
    // c[r][i] = tile[r][i] (+ bias[i], unless NULL) (+ c[r][i], where `add`) for `rows` x `columns`
    void (*finish)(float *c, int64_t stride, const float *tile, int64_t tile_stride, int64_t rows, int64_t columns,
                   const float *bias, bool add);
} gw_gemm_parts;

gw_status gw_gemm_packed(const gw_gemm_args *args, const gw_gemm_parts *parts) GW_MUST_CHECK;
int64_t gw_gemm_packed_scratch(const gw_gemm_args *args); // for any M and a K of at most this

#endif
