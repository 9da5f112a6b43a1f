// SPDX-License-Identifier: MIT
// Products of a convolution in bf16. A thread packs the rows of a piece and the rows that its taps reach, with zeros
// beyond the ends of the sequence. Each tap then reads the same packed rows at another offset, so a tile of sums is
// kept in registers over all taps. Sums are made in AMX tiles, otherwise by AVX512_BF16 (matmul/dot.h).
//
// The gradient of the weights, dW_t = sum over rows of dy[r] x[r + shift]^T, has rows as its depth. dy is packed with
// its rows side by side (a), x in pairs of rows (b). A shift by an even number of rows is another first pair. For odd
// shifts x is packed a second time, in pairs that begin one row later.
#ifndef GW_KERNELS_CPU_ISA_CONVOLUTION_BF16_H
#define GW_KERNELS_CPU_ISA_CONVOLUTION_BF16_H

#include "base/parallel.h"
#include "kernels/cpu/isa/convolution_taps.h"
#include "kernels/cpu/matmul/dot.h"
#include "kernels/cpu/matmul/operand.h"

#include <string.h>

#if defined GW_ISA_amx
#include "kernels/cpu/isa/amx_square.h"

enum { BF16_TILE = 2 * GW_AMX_SIDE, BF16_PANEL = 2 * GW_AMX_SIDE };
#else
enum { BF16_TILE = GW_CONVOLUTION_TILE, BF16_PANEL = GW_NR };
#endif

// out[r][i] (+)= sums[r][i] + bias[i]
static void conv_finish(float *out, int64_t stride, const float *sums, int64_t rows, int64_t columns, const float *bias,
                        bool adds) {
    for (int64_t r = 0; r < rows; r++, out += stride, sums += BF16_PANEL)
        for (int64_t i = 0; i < columns; i += GW_LANES) {
            gw_f32v v = gw_load(sums + i);
            if (bias) v += gw_load_some(bias + i, columns - i);
            if (adds) v += gw_load_some(out + i, columns - i);
            gw_store_some(out + i, v, columns - i);
        }
}

#if defined GW_ISA_amx
GW_INLINE void conv_square(const gw_dot *p, float *sums, bool adds, const int rows) {
    enum { BYTES = BF16_PANEL * sizeof(float) };
    const int64_t a_bytes = p->row * (int64_t)sizeof *p->a;
    if (adds) gw_amx_load_sums(sums, BYTES, rows, 2);
    else gw_amx_zero_sums(rows, 2);
    for (int64_t part = 0; part < p->parts; part++) {
        const uint32_t *a = p->a + part * p->a_step, *b = p->b + part * p->b_step;
        for (int64_t w = 0; w < p->words; w += GW_AMX_SIDE)
            gw_amx_add_products((const float *)(const void *)(a + w), a_bytes,
                                (const float *)(const void *)(b + w * BF16_PANEL), BYTES, rows, 2);
    }
    gw_amx_store_sums(sums, BYTES, rows, 2);
}

// A product of at most one tile. sums: [BF16_TILE][BF16_PANEL] of scratch memory; NULL: c itself is whole tiles,
// without a bias.
static __attribute__((noinline)) void conv_multiply_pairs(const gw_dot *p, float *sums) {
    float *to = sums ? sums : p->c;
    const bool adds = !sums && p->add;
    __asm__ volatile("" ::: "memory");
    if (p->rows > GW_AMX_SIDE) conv_square(p, to, adds, 2);
    else conv_square(p, to, adds, 1);
    if (sums) conv_finish(p->c, p->c_stride, sums, p->rows, p->columns, p->bias, p->add);
}

GW_INLINE int64_t conv_panel_bf16(int64_t columns) {
    (void)columns;
    return BF16_PANEL;
}

static void conv_multiply_panel_pairs(const gw_dot *p, int64_t panel, float *sums) {
    (void)panel;
    conv_multiply_pairs(p, sums);
}

static void conv_begin(void) {
    gw_amx_begin();
}

static void conv_end(void) {
    gw_amx_end();
}
#else
static void conv_multiply_pairs(const gw_dot *p, float *sums) {
    (void)sums;
    gw_dot_tile(p);
}

// Columns of a panel: half as many if the other half of a whole panel would be zeros.
GW_INLINE int64_t conv_panel_bf16(int64_t columns) {
    return columns <= GW_DOT_NARROW ? GW_DOT_NARROW : BF16_PANEL;
}

static void conv_multiply_panel_pairs(const gw_dot *p, int64_t panel, float *sums) {
    if (panel == GW_DOT_NARROW) gw_narrow_dot_tile(p);
    else conv_multiply_pairs(p, sums);
}

static void conv_begin(void) {}

static void conv_end(void) {}
#endif

GW_INLINE int64_t conv_round_up(int64_t a, int64_t b) {
    return (a + b - 1) / b * b;
}

GW_INLINE int64_t conv_words(int64_t depth) {
    return conv_round_up(depth, GW_CONVOLUTION_DEPTH) / 2;
}

GW_INLINE float *conv_align(float *memory) {
    enum { ALIGNMENT = 64 };
    return (float *)(((uintptr_t)memory + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

// Each item is a tap of a panel: [group][panel][tap][words][columns of a panel].
static void conv_pack_bf16(void *context, int64_t begin, int64_t end, int thread) {
    const conv_taps *t = context;
    const int64_t wide = conv_panel_bf16(t->columns), taps = t->args->taps, panels = conv_panels(t->columns, wide);
    (void)thread;
    for (int64_t item = begin; item < end; item++) {
        const int64_t column = item / taps % panels * wide;
        const float *from = conv_weight(t->args, item / taps / panels, item % taps) + column * t->line_stride;
        gw_operand_pack(&(gw_operand){
            .from = from,
            .stride = t->line_stride == 1 ? t->depth_stride : t->line_stride,
            .lines_adjacent = t->depth_stride != 1,
            .lines = conv_least(t->columns - column, wide),
            .depth = t->depth,
            .whole_lines = wide,
            .whole_depth = 2 * conv_words(t->depth),
            .micro_panel = true,
            .to = (uint32_t *)t->panels + item * conv_words(t->depth) * wide,
        });
    }
}

// Packs rows [first, first + count) of one group, with zeros beyond the ends of the sequence, line after line.
static void conv_pack_rows(const conv_taps *t, const gw_piece *piece, int64_t group, int64_t first, int64_t count,
                           uint32_t *to) {
    const int64_t words = conv_words(t->depth), from = first > piece->begin ? first : piece->begin;
    const int64_t end = conv_least(first + count, piece->end), stride = t->args->groups * t->depth;
    memset(to, 0, (size_t)((from - first) * words) * sizeof *to);
    memset(to + (end - first) * words, 0, (size_t)((first + count - end) * words) * sizeof *to);
    gw_operand_pack(&(gw_operand){
        .from = t->in + from * stride + group * t->depth,
        .stride = stride,
        .lines = end - from,
        .depth = t->depth,
        .whole_lines = end - from,
        .whole_depth = 2 * words,
        .to = to + (from - first) * words,
    });
}

// The tiles of one group. Its packed rows begin `reach` rows before the piece.
static void conv_multiply_group(const conv_taps *t, const gw_piece *piece, int64_t group, int64_t reach,
                                const uint32_t *rows, float *sums) {
    const int64_t words = conv_words(t->depth), taps = t->args->taps, wide = conv_panel_bf16(t->columns);
    const int64_t panels = conv_panels(t->columns, wide);
    const int64_t stride = t->args->groups * t->columns;
    gw_dot p = {.words = words,
                .row = words,
                .word = 1,
                .a_step = t->step * words,
                .b_step = words * wide,
                .c_stride = stride,
                .add = t->adds};
    for (int64_t row = 0; row < piece->count; row += BF16_TILE) {
        p.rows = conv_least(piece->count - row, BF16_TILE);
        const conv_range range = conv_taps_to_rows(t, piece, piece->first + row, p.rows);
        p.parts = range.end - range.first;
        p.a = rows + (reach + row + (range.first - (taps - 1) / 2) * t->step) * words;
        for (int64_t panel = 0; panel < panels; panel++) {
            const int64_t column = group * t->columns + panel * wide;
            p.b = (const uint32_t *)t->panels + ((group * panels + panel) * taps + range.first) * p.b_step;
            p.columns = conv_least(t->columns - panel * wide, wide);
            p.bias = t->bias ? t->bias + column : NULL;
            p.c = t->out + (piece->first + row) * stride + column;
            conv_multiply_panel_pairs(&p, wide, sums);
        }
    }
}

// Items are rows; a range of items covers the pieces with their first row in it.
static void conv_multiply_pieces_bf16(void *context, int64_t begin, int64_t end, int thread) {
    enum { SUMS = GW_CONVOLUTION_TILE * GW_CONVOLUTION_PANEL };
    const conv_taps *t = context;
    const int64_t stop = conv_least(end * GW_PIECE_BF16, t->args->rows);
    float *sums = t->rows + thread * (gw_convolution_row_floats(t->args, t->depth) + SUMS);
    uint32_t *rows = (uint32_t *)sums + SUMS;
    conv_begin();
    for (gw_piece p = gw_piece_at(t->args, begin * GW_PIECE_BF16, GW_PIECE_BF16); p.count > 0 && p.first < stop;
         p = gw_piece_next(t->args, &p, GW_PIECE_BF16)) {
        const int64_t reach = gw_convolution_reach_within(t->args, p.end - p.begin);
        for (int64_t group = 0; group < t->args->groups; group++) {
            conv_pack_rows(t, &p, group, p.first - reach, p.count + 2 * reach, rows);
            conv_multiply_group(t, &p, group, reach, rows, sums);
        }
    }
    conv_end();
}

static void conv_run_bf16(conv_taps *t) {
    const int64_t panels = t->args->groups * conv_panels(t->columns, conv_panel_bf16(t->columns));
    t->panels = conv_align(t->args->scratch);
    t->rows = t->panels + gw_convolution_weight_floats(t->args, t->depth, t->columns);
    gw_parallel_for(panels * t->args->taps, 1, conv_pack_bf16, t);
    gw_parallel_for((t->args->rows + GW_PIECE_BF16 - 1) / GW_PIECE_BF16, 1, conv_multiply_pieces_bf16, t);
}

// The gradient of the weights: the pieces that are currently packed.
typedef struct {
    const gw_convolution_args *args;
    gw_convolution_slots slots;
    int64_t out, in, ins; // numbers of a group; its panels
    int64_t kinds;        // kinds of pairs: 2 if shifts may be odd
    float *memory, *sums;
    int64_t count;
    gw_piece piece[GW_CONVOLUTION_SLOTS];
} conv_rows_run;

// The first row of a piece's pairs: an even number of rows before the piece.
GW_INLINE int64_t conv_pairs_before(const conv_rows_run *run, const gw_piece *piece) {
    return conv_round_up(gw_convolution_reach_within(run->args, piece->end - piece->begin), 2);
}

GW_INLINE int64_t conv_pair_count(const conv_rows_run *run, const gw_piece *piece) {
    return conv_words(piece->count) + conv_pairs_before(run, piece) + 1;
}

static uint32_t *conv_slot(const conv_rows_run *run, int64_t slot) {
    return (uint32_t *)run->memory + slot * (run->slots.out + run->slots.in);
}

static uint32_t *conv_out_lines(const conv_rows_run *run, int64_t slot, int64_t group) {
    return conv_slot(run, slot) +
           group * conv_round_up(run->out, GW_CONVOLUTION_DEPTH) * conv_words(run->piece[slot].count);
}

static uint32_t *conv_in_pairs(const conv_rows_run *run, int64_t slot, int64_t kind, int64_t group, int64_t panel) {
    const int64_t number = (kind * run->args->groups + group) * run->ins + panel;
    return conv_slot(run, slot) + run->slots.out + number * conv_pair_count(run, &run->piece[slot]) * BF16_PANEL;
}

static void conv_pack_out(const conv_rows_run *run, int64_t slot, int64_t group) {
    const gw_piece *piece = &run->piece[slot];
    gw_operand_pack(&(gw_operand){
        .from = run->args->out_gradient + piece->first * run->args->width + group * run->out,
        .stride = run->args->width,
        .lines_adjacent = true,
        .lines = run->out,
        .depth = piece->count,
        .whole_lines = conv_round_up(run->out, GW_CONVOLUTION_DEPTH),
        .whole_depth = 2 * conv_words(piece->count),
        .to = conv_out_lines(run, slot, group),
    });
}

// A panel's pairs of rows. The first is row number `kind` of those before the piece. A pair with only its second row in
// the sequence is packed as (row, nothing) and then exchanged.
static void conv_pack_in(const conv_rows_run *run, int64_t slot, int64_t kind, int64_t group, int64_t panel) {
    const gw_piece *piece = &run->piece[slot];
    const int64_t base = piece->first - conv_pairs_before(run, piece) + kind, pairs = conv_pair_count(run, piece);
    const int64_t from = base > piece->begin ? base : piece->begin, end = conv_least(base + 2 * pairs, piece->end);
    const bool odd = (from - base) % 2 == 1;
    uint32_t *all = conv_in_pairs(run, slot, kind, group, panel), *to = all + (from - base) / 2 * BF16_PANEL;
    gw_operand o = {
        .from = run->args->in + from * run->args->in_width + group * run->in + panel * BF16_PANEL,
        .stride = run->args->in_width,
        .lines_adjacent = true,
        .lines = conv_least(run->in - panel * BF16_PANEL, BF16_PANEL),
        .depth = odd ? 1 : end - from,
        .whole_lines = BF16_PANEL,
        .whole_depth = odd ? 2 : conv_round_up(end - from, 2),
        .micro_panel = true,
        .to = to,
    };
    memset(all, 0, (size_t)(to - all) * sizeof *all);
    gw_operand_pack(&o);
    if (odd) {
        for (int64_t i = 0; i < BF16_PANEL; i++) to[i] <<= 16;
        to += BF16_PANEL;
        o.from += o.stride;
        o.depth = end - from - 1;
        o.whole_depth = conv_round_up(o.depth, 2);
        o.to = to;
        gw_operand_pack(&o);
    }
    to += o.whole_depth / 2 * BF16_PANEL;
    memset(to, 0, (size_t)(all + pairs * BF16_PANEL - to) * sizeof *to);
}

// Items are, for each slot, the groups of dy, then the panels of x of each kind.
static void conv_pack_slots(void *context, int64_t begin, int64_t end, int thread) {
    const conv_rows_run *run = context;
    const int64_t groups = run->args->groups, each = groups * (1 + run->kinds * run->ins);
    (void)thread;
    for (int64_t item = begin; item < end; item++) {
        const int64_t slot = item / each, n = item % each, panel = (n - groups) % run->ins;
        if (n < groups) conv_pack_out(run, slot, n);
        else conv_pack_in(run, slot, (n - groups) / run->ins / groups, (n - groups) / run->ins % groups, panel);
    }
}

static void conv_add_slot(const conv_rows_run *run, int64_t slot, int64_t group, int64_t panel, int64_t tap,
                          float *sums) {
    const gw_piece *piece = &run->piece[slot];
    const int64_t shift = (tap - (run->args->taps - 1) / 2) * run->args->dilation;
    const int64_t before = conv_pairs_before(run, piece) + shift, row = conv_words(piece->count);
    int64_t from = piece->begin - shift - piece->first, end = piece->end - shift - piece->first;
    from = from > 0 ? from / GW_CONVOLUTION_DEPTH * GW_CONVOLUTION_DEPTH : 0; // existing rows of x
    end = conv_least(piece->count, end);
    if (from >= end) return;
    gw_dot p = {.words = conv_words(end - from),
                .parts = 1,
                .row = row,
                .word = 1,
                .columns = BF16_PANEL,
                .c_stride = BF16_PANEL,
                .add = true};
    p.b = conv_in_pairs(run, slot, before % 2, group, panel) + (before + from) / 2 * BF16_PANEL;
    for (int64_t o = 0; o < run->out; o += BF16_TILE) {
        p.rows = conv_least(run->out - o, BF16_TILE);
        p.a = conv_out_lines(run, slot, group) + o * row + from / 2;
        p.c = sums + o * BF16_PANEL;
        conv_multiply_pairs(&p, NULL);
    }
}

// Each item is a tap of a panel.
static void conv_add_slots(void *context, int64_t begin, int64_t end, int thread) {
    const conv_rows_run *run = context;
    const gw_convolution_args *args = run->args;
    float *sums = run->sums + thread * run->slots.sums;
    conv_begin();
    for (int64_t item = begin; item < end; item++) {
        const int64_t tap = item % args->taps, panel = item / args->taps % run->ins,
                      group = item / args->taps / run->ins;
        const int64_t place = (tap * args->groups + group) * run->out * run->in + panel * BF16_PANEL;
        memset(sums, 0, (size_t)run->slots.sums * sizeof *sums);
        for (int64_t slot = 0; slot < run->count; slot++) conv_add_slot(run, slot, group, panel, tap, sums);
        conv_finish(args->weight_gradient + place, run->in, sums, run->out,
                    conv_least(run->in - panel * BF16_PANEL, BF16_PANEL), NULL, true);
    }
    conv_end();
}

static void conv_run_weights_bf16(const gw_convolution_args *args) {
    conv_rows_run run = {.args = args,
                         .slots = gw_convolution_cut_slots(args),
                         .out = args->width / args->groups,
                         .in = args->in_width / args->groups,
                         .kinds = args->taps > 1 && args->dilation % 2 == 1 ? 2 : 1};
    run.ins = conv_panels(run.in, BF16_PANEL);
    run.memory = conv_align(args->scratch);
    run.sums = run.memory + run.slots.pieces * (run.slots.out + run.slots.in);
    gw_piece p = gw_piece_from(args, 0, 0, GW_PIECE_WEIGHTS);
    while (p.count > 0) {
        for (run.count = 0; p.count > 0 && run.count < run.slots.pieces; run.count++) {
            run.piece[run.count] = p;
            p = gw_piece_next(args, &p, GW_PIECE_WEIGHTS);
        }
        gw_parallel_for(run.count * args->groups * (1 + run.kinds * run.ins), 1, conv_pack_slots, &run);
        gw_parallel_for(args->groups * run.ins * args->taps, 1, conv_add_slots, &run);
    }
}

#endif
