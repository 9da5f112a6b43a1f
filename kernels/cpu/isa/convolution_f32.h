// SPDX-License-Identifier: MIT
// The products of a convolution in f32. Weights are packed in panels, [group][panel][tap][depth][PANEL]; rows stay
// where they are: a micro-kernel has a pointer to each of its rows, so that a tap is other pointers, and rows beyond
// the ends of a sequence are a row of zeros. 6 rows by V vectors are summed in registers over a block of the depth, one
// panel of which stays in the first cache while all rows of a piece pass over it.
#ifndef GW_KERNELS_CPU_ISA_CONVOLUTION_F32_H
#define GW_KERNELS_CPU_ISA_CONVOLUTION_F32_H

#include "base/parallel.h"
#include "kernels/cpu/isa/convolution_taps.h"

// As many vectors as leave room in 32 registers, or in 16.
#if defined GW_ISA_avx512 || defined __aarch64__
#define VECTORS 4
#else
#define VECTORS 2
#endif
enum { MR = 6, HALF = MR / 2, PANEL = VECTORS * GW_LANES, KC = 128 };

static const float zeros[KC];

typedef struct {
    int64_t rows, columns, depth;
    const float *a[MR];
    int64_t a_step; // from one number of the depth to the next
    const float *b; // [depth][PANEL]
    float *c;
    int64_t c_stride;
    const float *bias; // or NULL
    bool adds;
} conv_tile;

GW_INLINE void conv_add_rows(gw_f32v sum[HALF][VECTORS], const float *const *a, int64_t place,
                             const gw_f32v of_b[VECTORS]) {
#pragma GCC unroll 3
    for (int r = 0; r < HALF; r++) {
        const gw_f32v all = gw_all(a[r][place]);
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++) sum[r][v] = gw_fma(all, of_b[v], sum[r][v]);
    }
}

// c (+)= sums + bias, of half of a whole tile.
GW_INLINE void conv_put_half(const conv_tile *t, float *c, gw_f32v sum[HALF][VECTORS]) {
#pragma GCC unroll 3
    for (int r = 0; r < HALF; r++, c += t->c_stride)
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++) {
            gw_f32v out = sum[r][v];
            if (t->bias) out += gw_load(t->bias + v * GW_LANES);
            if (t->adds) out += gw_load(c + v * GW_LANES);
            gw_store(c + v * GW_LANES, out);
        }
}

// The same of a tile that lacks rows or columns.
static __attribute__((noinline)) void conv_put_some(const conv_tile *t, float sums[MR][PANEL]) {
    for (int64_t r = 0; r < t->rows; r++)
        for (int64_t i = 0; i < t->columns && i < PANEL; i += GW_LANES) {
            float *c = t->c + r * t->c_stride + i;
            gw_f32v out = gw_load(sums[r] + i);
            if (t->bias) out += gw_load_some(t->bias + i, t->columns - i);
            if (t->adds) out += gw_load_some(c, t->columns - i);
            gw_store_some(c, out, t->columns - i);
        }
}

// Rows that are not there are given as others that are. Sums in two halves: compilers keep those in registers.
static void conv_multiply(const conv_tile *t) {
    gw_f32v upper[HALF][VECTORS], lower[HALF][VECTORS];
    const float *b = t->b, *const *above = t->a, *const *below = t->a + HALF;
    const int64_t stop = t->depth * t->a_step;
#pragma GCC unroll 3
    for (int r = 0; r < HALF; r++)
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++) upper[r][v] = lower[r][v] = gw_all(0.0f);
    for (int64_t place = 0; place < stop; place += t->a_step, b += PANEL) {
        gw_f32v of_b[VECTORS];
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++) of_b[v] = gw_load(b + v * GW_LANES);
        conv_add_rows(upper, above, place, of_b);
        conv_add_rows(lower, below, place, of_b);
    }
    if (t->rows == MR && t->columns >= PANEL) {
        conv_put_half(t, t->c, upper);
        conv_put_half(t, t->c + HALF * t->c_stride, lower);
        return;
    }
    float sums[MR][PANEL];
#pragma GCC unroll 3
    for (int r = 0; r < HALF; r++)
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; v++) {
            gw_store(sums[r] + v * GW_LANES, upper[r][v]);
            gw_store(sums[r + HALF] + v * GW_LANES, lower[r][v]);
        }
    conv_put_some(t, sums);
}

// Items are the taps of the panels.
static void conv_pack_f32(void *context, int64_t begin, int64_t end, int thread) {
    const conv_taps *t = context;
    const int64_t taps = t->args->taps, panels = conv_panels(t->columns, PANEL);
    (void)thread;
    for (int64_t item = begin; item < end; item++) {
        const int64_t column = item / taps % panels * PANEL, left = t->columns - column;
        const float *from = conv_weight(t->args, item / taps / panels, item % taps) + column * t->line_stride;
        float *to = t->panels + item * t->depth * PANEL;
        for (int64_t d = 0; d < t->depth; d++, to += PANEL)
            for (int64_t i = 0; i < PANEL; i++)
                to[i] = i < left ? from[i * t->line_stride + d * t->depth_stride] : 0.0f;
    }
}

// The rows of a tile, shifted; those behind the piece are the piece's last.
GW_INLINE void conv_shift_rows(const conv_taps *t, const gw_piece *piece, int64_t row, int64_t shift, int64_t column,
                               conv_tile *tile) {
    for (int64_t r = 0; r < MR; r++) {
        const int64_t from = row + conv_least(r, tile->rows - 1) + shift;
        const bool is_there = from >= piece->begin && from < piece->end;
        tile->a[r] = is_there ? t->in + from * t->args->groups * t->depth + column : zeros;
    }
}

// A tap's product over KC of the depth, of the tiles of the piece that it reaches; panel: that tap's.
static void conv_multiply_tap(const conv_taps *t, const gw_piece *piece, int64_t tap, int64_t in, int64_t depth,
                              const float *panel, conv_tile tile) {
    const int64_t shift = (tap - (t->args->taps - 1) / 2) * t->step;
    const int64_t before = piece->begin - shift - piece->first, behind = piece->end - shift - piece->first;
    float *c = tile.c;
    tile.depth = depth;
    tile.b = panel;
    for (int64_t row = before > 0 ? before / MR * MR : 0; row < conv_least(piece->count, behind); row += MR) {
        tile.rows = conv_least(piece->count - row, MR);
        tile.c = c + row * tile.c_stride;
        conv_shift_rows(t, piece, piece->first + row, shift, in, &tile);
        conv_multiply(&tile);
    }
}

static void conv_multiply_panel(const conv_taps *t, const gw_piece *piece, int64_t group, int64_t panel) {
    const int64_t taps = t->args->taps, panels = conv_panels(t->columns, PANEL);
    const int64_t column = group * t->columns + panel * PANEL, stride = t->args->groups * t->columns;
    const float *weights = t->panels + (group * panels + panel) * taps * t->depth * PANEL;
    const conv_range range = conv_taps_to_rows(t, piece, piece->first, piece->count);
    conv_tile tile = {.columns = t->columns - panel * PANEL,
                      .a_step = 1,
                      .c = t->out + piece->first * stride + column,
                      .c_stride = stride,
                      .bias = t->bias ? t->bias + column : NULL,
                      .adds = t->adds};
    for (int64_t n = 0; n < range.end - range.first; n++) {
        const int64_t tap = conv_tap_in_turn(t->args, &range, n);
        for (int64_t d = 0; d < t->depth; d += KC) {
            conv_multiply_tap(t, piece, tap, group * t->depth + d, conv_least(t->depth - d, KC),
                              weights + (tap * t->depth + d) * PANEL, tile);
            tile.bias = NULL;
            tile.adds = true;
        }
    }
}

// Items are pieces' first rows, in so many rows.
static void conv_multiply_pieces_f32(void *context, int64_t begin, int64_t end, int thread) {
    const conv_taps *t = context;
    const int64_t stop = conv_least(end * GW_PIECE_F32, t->args->rows);
    (void)thread;
    for (gw_piece p = gw_piece_at(t->args, begin * GW_PIECE_F32, GW_PIECE_F32); p.count > 0 && p.first < stop;
         p = gw_piece_next(t->args, &p, GW_PIECE_F32))
        for (int64_t group = 0; group < t->args->groups; group++)
            for (int64_t panel = 0; panel * PANEL < t->columns; panel++) conv_multiply_panel(t, &p, group, panel);
}

static void conv_run_f32(conv_taps *t) {
    const int64_t panels = t->args->groups * conv_panels(t->columns, PANEL);
    t->panels = t->args->scratch;
    gw_parallel_for(panels * t->args->taps, 1, conv_pack_f32, t);
    gw_parallel_for((t->args->rows + GW_PIECE_F32 - 1) / GW_PIECE_F32, 1, conv_multiply_pieces_f32, t);
}

// dW_t += sum of dy[r] x[r + shift]^T over the rows of a piece, for some taps, up to OUTS outputs and a panel of
// inputs. Both operands are copied to where they lie close together: the outputs' once for all the taps, and as many
// rows of x as there is room for, of which a tap that reads other ones is another pointer.
enum { OUTS = 8 * MR, IN_ROWS = GW_PIECE_F32 + 256 };

typedef struct {
    int64_t group, tap, taps, out, outs, in, ins;
    int64_t first, end; // rows of x that are there
    float dout[GW_PIECE_F32][OUTS], x[IN_ROWS][PANEL];
} conv_block;

// Columns up to whole vectors, those that are not there as zeros.
static void conv_copy_rows(float *to, int64_t to_stride, const float *from, int64_t stride, int64_t rows,
                           int64_t columns) {
    for (int64_t r = 0; r < rows; r++, to += to_stride, from += stride)
        for (int64_t i = 0; i < columns; i += GW_LANES) gw_store(to + i, gw_load_some(from + i, columns - i));
}

// Rows [first, end) of x, and those behind them where the next tap reads some of the same.
static void conv_copy_in(const gw_convolution_args *args, conv_block *w, const gw_piece *piece, int64_t first,
                         int64_t end) {
    const int64_t k = args->in_width / args->groups, capacity = first + IN_ROWS;
    if (first >= w->first && end <= w->end) return;
    w->first = first;
    w->end = args->dilation < end - first ? conv_least(piece->end, capacity) : end;
    conv_copy_rows(w->x[0], PANEL, args->in + first * args->in_width + w->group * k + w->in, args->in_width,
                   w->end - first, w->ins);
}

static void conv_add_tap(const gw_convolution_args *args, conv_block *w, int64_t tap, const gw_piece *piece) {
    const int64_t n = args->width / args->groups, k = args->in_width / args->groups;
    const int64_t shift = (tap - (args->taps - 1) / 2) * args->dilation;
    int64_t first = piece->first, end = first + piece->count;
    if (first + shift < piece->begin) first = piece->begin - shift;
    if (end + shift > piece->end) end = piece->end - shift;
    if (first >= end) return;
    conv_copy_in(args, w, piece, first + shift, end + shift);
    conv_tile tile = {.columns = w->ins,
                      .depth = end - first,
                      .a_step = OUTS,
                      .b = w->x[first + shift - w->first],
                      .c_stride = k,
                      .adds = true};
    for (int64_t o = 0; o < w->outs; o += MR) {
        tile.rows = conv_least(w->outs - o, MR);
        tile.c = args->weight_gradient + ((tap * args->groups + w->group) * n + w->out + o) * k + w->in;
        for (int64_t r = 0; r < MR; r++) tile.a[r] = w->dout[first - piece->first] + o + conv_least(r, tile.rows - 1);
        conv_multiply(&tile);
    }
}

static void conv_add_weights(const gw_convolution_args *args, conv_block *w, const gw_piece *piece) {
    conv_copy_rows(w->dout[0], OUTS,
                   args->out_gradient + piece->first * args->width + w->group * (args->width / args->groups) + w->out,
                   args->width, piece->count, w->outs);
    w->first = w->end = 0;
    for (int64_t tap = w->tap; tap < w->tap + w->taps; tap++) conv_add_tap(args, w, tap, piece);
}

// Blocks of weights: a thread takes all taps of one, unless there are fewer than threads could share.
typedef struct {
    const gw_convolution_args *args;
    int64_t outs, ins, runs, taps; // blocks of each; taps of a run
} conv_blocks;

static conv_blocks conv_cut_blocks(const gw_convolution_args *args) {
    enum { ENOUGH = 2, FEW_TAPS = 3 };
    conv_blocks cut = {.args = args,
                       .outs = conv_panels(args->width / args->groups, OUTS),
                       .ins = conv_panels(args->in_width / args->groups, PANEL)};
    cut.taps = cut.outs * cut.ins * args->groups >= ENOUGH * gw_threads() ? args->taps : FEW_TAPS;
    cut.runs = conv_panels(args->taps, cut.taps);
    return cut;
}

// Items are blocks.
static void conv_weights_f32(void *context, int64_t begin, int64_t end, int thread) {
    const conv_blocks *cut = context;
    const gw_convolution_args *args = cut->args;
    const int64_t n = args->width / args->groups, k = args->in_width / args->groups;
    (void)thread;
    for (int64_t item = begin; item < end; item++) {
        conv_block w;
        w.out = item % cut->outs * OUTS, w.outs = conv_least(n - w.out, OUTS);
        w.in = item / cut->outs % cut->ins * PANEL, w.ins = conv_least(k - w.in, PANEL);
        w.tap = item / cut->outs / cut->ins % cut->runs * cut->taps, w.taps = conv_least(args->taps - w.tap, cut->taps);
        w.group = item / cut->outs / cut->ins / cut->runs;
        for (gw_piece p = gw_piece_from(args, 0, 0, GW_PIECE_F32); p.count > 0;
             p = gw_piece_next(args, &p, GW_PIECE_F32))
            conv_add_weights(args, &w, &p);
    }
}

static void conv_run_weights_f32(const gw_convolution_args *args) {
    conv_blocks cut = conv_cut_blocks(args);
    gw_parallel_for(cut.outs * cut.ins * cut.runs * args->groups, 1, conv_weights_f32, &cut);
}

#endif
