// SPDX-License-Identifier: MIT
// How the convolution kernels divide their work, and the scratch memory for it: pieces of sequences, and panels of the
// columns of a product.
#ifndef GW_KERNELS_CPU_CONVOLUTION_CUT_H
#define GW_KERNELS_CPU_CONVOLUTION_CUT_H

#include "kernels/kernel.h"

// Most columns of a panel and rows of a tile in any instruction set; and the multiple to which the depth of bf16
// products is padded.
enum { GW_CONVOLUTION_PANEL = 64, GW_CONVOLUTION_TILE = 48, GW_CONVOLUTION_DEPTH = 32 };
// Rows of a piece: for f32 products, for bf16 products, for bf16 products along the rows (weights), and for few
// columns.
enum { GW_PIECE_F32 = 96, GW_PIECE_BF16 = 256, GW_PIECE_WEIGHTS = 512, GW_PIECE_FEW = 512 };

// Rows of one sequence. count 0: none.
typedef struct {
    int64_t sequence, first, count;
    int64_t begin, end; // rows of the sequence
} gw_piece;

// The piece of at most `size` wanted rows from `first` on; if `first` is behind the rows of the sequence, the first
// piece of the next sequence.
static inline gw_piece gw_piece_from(const gw_convolution_args *args, int64_t sequence, int64_t first, int64_t size) {
    while (sequence < args->sequences && first >= args->start[sequence + 1] - args->halo)
        first = args->start[++sequence] + args->halo;
    if (sequence == args->sequences) return (gw_piece){0};
    const int64_t end = args->start[sequence + 1], left = end - args->halo - first;
    return (gw_piece){sequence, first, left < size ? left : size, args->start[sequence], end};
}

static inline gw_piece gw_piece_next(const gw_convolution_args *args, const gw_piece *piece, int64_t size) {
    return gw_piece_from(args, piece->sequence, piece->first + piece->count, size);
}

// The first piece at or behind `row`, which must be below the number of rows. Sequences are cut at multiples of `size`
// from their first wanted row.
gw_piece gw_piece_at(const gw_convolution_args *args, int64_t row, int64_t size);

// The largest distance between row r and a row that its taps read.
static inline int64_t gw_convolution_reach(const gw_convolution_args *args) {
    return (int64_t)(args->taps - 1) / 2 * args->dilation;
}

// This distance, limited by a sequence of this number of rows.
static inline int64_t gw_convolution_reach_within(const gw_convolution_args *args, int64_t rows) {
    const int64_t reach = gw_convolution_reach(args);
    return reach < rows ? reach : rows - 1;
}

// Whether products use packed bf16 instead of f32 in place.
static inline bool gw_convolution_packs(const gw_convolution_args *args) {
#ifdef __x86_64__
    return args->precision == GW_BF16;
#else
    (void)args;
    return false;
#endif
}

// Whether the product has so few columns that its taps are treated as columns too (convolution_few.h).
static inline bool gw_convolution_is_few(const gw_convolution_args *args, int64_t columns) {
    return !gw_convolution_packs(args) && args->groups == 1 && columns <= 4 && args->taps >= 9 &&
           args->taps * columns <= 512;
}

// For a product with `depth` numbers for each tap and group, and `columns` for each group: floats of its packed
// weights, and of the rows that a thread packs (bf16), or of products of few columns.
int64_t gw_convolution_weight_floats(const gw_convolution_args *args, int64_t depth, int64_t columns);
int64_t gw_convolution_row_floats(const gw_convolution_args *args, int64_t depth);
int64_t gw_convolution_few_floats(const gw_convolution_args *args, int64_t columns);

// For the weights' gradient in bf16: pieces packed at the same time, floats of the two operands of each, and floats of
// a thread's sums.
enum { GW_CONVOLUTION_SLOTS = 8 };
typedef struct {
    int64_t pieces, out, in, sums;
} gw_convolution_slots;
gw_convolution_slots gw_convolution_cut_slots(const gw_convolution_args *args);

int64_t gw_convolution_scratch(const gw_convolution_args *args);
int64_t gw_convolution_backward_scratch(const gw_convolution_args *args);

#endif
