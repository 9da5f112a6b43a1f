// SPDX-License-Identifier: MIT
// Divides sequences into pieces for the convolution kernels, and computes the sizes of their scratch memory.
#include "kernels/cpu/convolution_cut.h"

#include "base/number.h"
#include "base/parallel.h"

enum { ALIGNMENT = 16, SLOTS_FLOATS = 1 << 20 }; // slots: 4 MB in all, of which the second cache has a good part

static int64_t round_up(int64_t a, int64_t b) {
    return (a + b - 1) / b * b;
}

gw_piece gw_piece_at(const gw_convolution_args *args, int64_t row, int64_t size) {
    const int64_t sequence = gw_max(GW_FIRST_NOT(s, args->sequences, args->start[s] <= row) - 1, 0);
    const int64_t first = args->start[sequence] + args->halo;
    return gw_piece_from(args, sequence, row > first ? first + round_up(row - first, size) : first, size);
}

int64_t gw_convolution_weight_floats(const gw_convolution_args *args, int64_t depth, int64_t columns) {
    const int64_t whole = round_up(columns, GW_CONVOLUTION_PANEL) * args->taps * args->groups;
    return gw_convolution_packs(args) ? whole * round_up(depth, GW_CONVOLUTION_DEPTH) / 2 : whole * depth;
}

static int64_t reach_of(const gw_convolution_args *args) {
    return gw_convolution_reach_within(args, gw_max(args->rows, 1));
}

int64_t gw_convolution_row_floats(const gw_convolution_args *args, int64_t depth) {
    if (!gw_convolution_packs(args)) return 0;
    const int64_t rows = GW_PIECE_BF16 + 2 * reach_of(args) + GW_CONVOLUTION_TILE;
    return round_up(rows * args->groups * round_up(depth, GW_CONVOLUTION_DEPTH) / 2, ALIGNMENT);
}

int64_t gw_convolution_few_floats(const gw_convolution_args *args, int64_t columns) {
    if (!gw_convolution_is_few(args, columns)) return 0;
    return (GW_PIECE_FEW + 2 * reach_of(args)) * round_up(args->taps * columns, GW_CONVOLUTION_PANEL);
}

gw_convolution_slots gw_convolution_cut_slots(const gw_convolution_args *args) {
    const int64_t in = args->in_width / args->groups, out = args->width / args->groups;
    const int64_t rows = GW_PIECE_WEIGHTS, reach = reach_of(args) + 2;
    gw_convolution_slots slots = {
        .out = args->groups * round_up(out, GW_CONVOLUTION_DEPTH) * rows / 2,
        .in = 2 * args->groups * round_up(in, GW_CONVOLUTION_PANEL) * (rows + 2 * reach) / 2,
        .sums = round_up(out, 2 * GW_CONVOLUTION_TILE) * GW_CONVOLUTION_PANEL,
    };
    const int64_t fit = SLOTS_FLOATS / (slots.out + slots.in);
    slots.pieces = gw_max(1, gw_min(fit, GW_CONVOLUTION_SLOTS));
    return slots;
}

// Of one direction.
static int64_t product_floats(const gw_convolution_args *args, int64_t depth, int64_t columns) {
    enum { TILE = GW_CONVOLUTION_TILE * GW_CONVOLUTION_PANEL };
    return gw_convolution_weight_floats(args, depth, columns) +
           gw_threads() * (gw_convolution_row_floats(args, depth) + gw_convolution_few_floats(args, columns) + TILE) +
           ALIGNMENT;
}

int64_t gw_convolution_scratch(const gw_convolution_args *args) {
    return product_floats(args, args->in_width / args->groups, args->width / args->groups);
}

int64_t gw_convolution_backward_scratch(const gw_convolution_args *args) {
    const gw_convolution_slots slots = gw_convolution_cut_slots(args);
    const int64_t of_in = product_floats(args, args->width / args->groups, args->in_width / args->groups);
    if (!gw_convolution_packs(args)) return of_in;
    return gw_max(of_in, slots.pieces * (slots.out + slots.in) + gw_threads() * slots.sums + ALIGNMENT);
}
