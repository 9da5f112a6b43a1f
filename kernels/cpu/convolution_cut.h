// SPDX-License-Identifier: MIT
// How the convolution kernels cut their work, and the scratch memory that follows: pieces of sequences, and panels of
// the columns of a product.
#ifndef GW_KERNELS_CPU_CONVOLUTION_CUT_H
#define GW_KERNELS_CPU_CONVOLUTION_CUT_H

#include "kernels/kernel.h"

// Most columns of a panel and rows of a tile of any instruction set; what the depth of bf16 products is filled up to.
enum { GW_CONVOLUTION_PANEL = 64, GW_CONVOLUTION_TILE = 48, GW_CONVOLUTION_DEPTH = 32 };
// Rows of a piece: of f32 products, of those of bf16, and of those of bf16 along the rows (weights).
enum { GW_PIECE_F32 = 96, GW_PIECE_BF16 = 256, GW_PIECE_WEIGHTS = 512, GW_PIECE_FEW = 512 };

// Rows of one sequence. None: count is 0.
typedef struct {
    int64_t sequence, first, count;
    int64_t begin, end; // rows of the sequence
} gw_piece;

// The piece of at most `size` wanted rows that begins with `first`, or where that is behind those of the sequence the
// next one's first.
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

// The first piece that begins at or behind `row`, which is below the number of rows, where every sequence is cut at
// multiples of `size` from its first wanted row.
gw_piece gw_piece_at(const gw_convolution_args *args, int64_t row, int64_t size);

// Rows between r and the row that the first tap reads, at most.
static inline int64_t gw_convolution_reach(const gw_convolution_args *args) {
    return (int64_t)(args->taps - 1) / 2 * args->dilation;
}

// That within a sequence of so many rows.
static inline int64_t gw_convolution_reach_within(const gw_convolution_args *args, int64_t rows) {
    const int64_t reach = gw_convolution_reach(args);
    return reach < rows ? reach : rows - 1;
}

// Whether products are of packed bf16, and not of f32 in place.
static inline bool gw_convolution_packs(const gw_convolution_args *args) {
#ifdef __x86_64__
    return args->precision == GW_BF16;
#else
    (void)args;
    return false;
#endif
}

// Whether the product's columns are so few beside its taps that these are columns too (convolution_few.h).
static inline bool gw_convolution_is_few(const gw_convolution_args *args, int64_t columns) {
    return !gw_convolution_packs(args) && args->groups == 1 && columns <= 4 && args->taps >= 9 &&
           args->taps * columns <= 512;
}

// Of a product with `depth` numbers of each tap and group, and `columns` of each group: floats of its packed weights,
// and of the rows that a thread packs (bf16), or of products of few
// columns.
int64_t gw_convolution_weight_floats(const gw_convolution_args *args, int64_t depth, int64_t columns);
int64_t gw_convolution_row_floats(const gw_convolution_args *args, int64_t depth);
int64_t gw_convolution_few_floats(const gw_convolution_args *args, int64_t columns);

// Of the weights' gradient in bf16: pieces that are packed at once, floats of each one's two operands, and floats of
// the sums of a thread.
enum { GW_CONVOLUTION_SLOTS = 8 };
typedef struct {
    int64_t pieces, out, in, sums;
} gw_convolution_slots;
gw_convolution_slots gw_convolution_cut_slots(const gw_convolution_args *args);

int64_t gw_convolution_scratch(const gw_convolution_args *args);
int64_t gw_convolution_backward_scratch(const gw_convolution_args *args);

#endif
