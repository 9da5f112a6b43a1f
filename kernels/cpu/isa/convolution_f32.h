// SPDX-License-Identifier: MIT
// Products of a convolution in f32. Weights are packed in panels, [group][panel][tap][depth][columns of a panel]. Rows
// stay in place: a tap is another first row for a micro-kernel (convolution_tile.h). Rows of a tile that reaches beyond
// the ends of its sequence or piece are copied together with zeros. One panel of a block of the depth stays in the
// first cache for all rows of a piece.
#ifndef GW_KERNELS_CPU_ISA_CONVOLUTION_F32_H
#define GW_KERNELS_CPU_ISA_CONVOLUTION_F32_H

#include "base/parallel.h"
#include "kernels/cpu/isa/convolution_taps.h"

enum { KC = 128, MOST_ROWS = 12, MOST_PANEL = 4 * GW_LANES };

typedef struct {
    int64_t rows, columns, depth;
    const float *a;        // as many rows as the shape has; `rows` of them are used
    int64_t a_row, a_step; // step between rows; between numbers of the depth
    const float *b;        // [depth][columns of a panel]
    float *c;
    int64_t c_stride;
    const float *bias; // or NULL
    bool adds;
} conv_tile;

// As many vectors as fit into 32 registers, or 16. With 32 registers, columns of narrow layers have twice the rows,
// because half of a wide panel would be zeros.
#if defined GW_ISA_avx512 || defined __aarch64__
#define CONV_SHAPED(name) conv_narrow_##name
#define TILE_HALF 6
#define TILE_VECTORS 2
#include "kernels/cpu/isa/convolution_tile.h"
#define CONV_SHAPED(name) conv_wide_##name
#define TILE_HALF 3
#define TILE_VECTORS 4
#include "kernels/cpu/isa/convolution_tile.h"
#else
#define CONV_SHAPED(name) conv_wide_##name
#define TILE_HALF 3
#define TILE_VECTORS 2
#include "kernels/cpu/isa/convolution_tile.h"
#endif

typedef struct {
    int64_t rows, panel; // of a tile; its columns
    void (*multiply)(const conv_tile *tile);
} conv_shape;

GW_INLINE conv_shape conv_shape_of(int64_t columns) {
#if defined GW_ISA_avx512 || defined __aarch64__
    if (columns <= conv_narrow_PANEL) return (conv_shape){conv_narrow_ROWS, conv_narrow_PANEL, conv_narrow_multiply};
#else
    (void)columns;
#endif
    return (conv_shape){conv_wide_ROWS, conv_wide_PANEL, conv_wide_multiply};
}

// Each item is a tap of a panel.
static void conv_pack_f32(void *context, int64_t begin, int64_t end, int thread) {
    const conv_taps *t = context;
    const int64_t panel = conv_shape_of(t->columns).panel;
    const int64_t taps = t->args->taps, panels = conv_panels(t->columns, panel);
    (void)thread;
    for (int64_t item = begin; item < end; item++) {
        const int64_t column = item / taps % panels * panel, left = t->columns - column;
        const float *from = conv_weight(t->args, item / taps / panels, item % taps) + column * t->line_stride;
        float *to = t->panels + item * t->depth * panel;
        for (int64_t d = 0; d < t->depth; d++, to += panel)
            for (int64_t i = 0; i < panel; i++)
                to[i] = i < left ? from[i * t->line_stride + d * t->depth_stride] : 0.0f;
    }
}

// The rows of a tile, shifted: in place, or copied.
GW_INLINE void conv_shift_rows(const conv_taps *t, const gw_piece *piece, int64_t first, int64_t column, int64_t rows,
                               float copy[MOST_ROWS * KC], conv_tile *tile) {
    const int64_t stride = t->args->groups * t->depth;
    if (tile->rows == rows && first >= piece->begin && first + rows <= piece->end) {
        tile->a = t->in + first * stride + column;
        tile->a_row = stride;
        return;
    }
    for (int64_t r = 0; r < rows; r++) {
        const int64_t from = first + r;
        const bool is_there = r < tile->rows && from >= piece->begin && from < piece->end;
        if (is_there) memcpy(copy + r * KC, t->in + from * stride + column, (size_t)tile->depth * sizeof *copy);
        else memset(copy + r * KC, 0, (size_t)tile->depth * sizeof *copy);
    }
    tile->a = copy;
    tile->a_row = KC;
}

// A tap's product over KC of the depth, for the tiles of the piece that it reaches. panel: that of the tap.
static void conv_multiply_tap(const conv_taps *t, const gw_piece *piece, int64_t tap, int64_t in, int64_t depth,
                              const float *panel, conv_tile tile) {
    const int64_t shift = (tap - (t->args->taps - 1) / 2) * t->step;
    const int64_t before = piece->begin - shift - piece->first, behind = piece->end - shift - piece->first;
    const conv_shape shape = conv_shape_of(t->columns);
    const int64_t rows = shape.rows;
    float *c = tile.c, copy[MOST_ROWS * KC];
    tile.depth = depth;
    tile.b = panel;
    for (int64_t row = before > 0 ? before / rows * rows : 0; row < conv_least(piece->count, behind); row += rows) {
        tile.rows = conv_least(piece->count - row, rows);
        tile.c = c + row * tile.c_stride;
        conv_shift_rows(t, piece, piece->first + row + shift, in, rows, copy, &tile);
        shape.multiply(&tile);
    }
}

static void conv_multiply_panel(const conv_taps *t, const gw_piece *piece, int64_t group, int64_t panel) {
    const int64_t wide = conv_shape_of(t->columns).panel;
    const int64_t taps = t->args->taps, panels = conv_panels(t->columns, wide);
    const int64_t column = group * t->columns + panel * wide, stride = t->args->groups * t->columns;
    const float *weights = t->panels + (group * panels + panel) * taps * t->depth * wide;
    const conv_range range = conv_taps_to_rows(t, piece, piece->first, piece->count);
    conv_tile tile = {.columns = t->columns - panel * wide,
                      .a_step = 1,
                      .c = t->out + piece->first * stride + column,
                      .c_stride = stride,
                      .bias = t->bias ? t->bias + column : NULL,
                      .adds = t->adds};
    for (int64_t n = 0; n < range.end - range.first; n++) {
        const int64_t tap = conv_tap_in_turn(t->args, &range, n);
        for (int64_t d = 0; d < t->depth; d += KC) {
            conv_multiply_tap(t, piece, tap, group * t->depth + d, conv_least(t->depth - d, KC),
                              weights + (tap * t->depth + d) * wide, tile);
            tile.bias = NULL;
            tile.adds = true;
        }
    }
}

// Items are rows; a range of items covers the pieces with their first row in it.
static void conv_multiply_pieces_f32(void *context, int64_t begin, int64_t end, int thread) {
    const conv_taps *t = context;
    const int64_t stop = conv_least(end * GW_PIECE_F32, t->args->rows);
    (void)thread;
    for (gw_piece p = gw_piece_at(t->args, begin * GW_PIECE_F32, GW_PIECE_F32); p.count > 0 && p.first < stop;
         p = gw_piece_next(t->args, &p, GW_PIECE_F32))
        for (int64_t group = 0; group < t->args->groups; group++)
            for (int64_t panel = 0; panel < conv_panels(t->columns, conv_shape_of(t->columns).panel); panel++)
                conv_multiply_panel(t, &p, group, panel);
}

static void conv_run_f32(conv_taps *t) {
    const int64_t panels = t->args->groups * conv_panels(t->columns, conv_shape_of(t->columns).panel);
    t->panels = t->args->scratch;
    gw_parallel_for(panels * t->args->taps, 1, conv_pack_f32, t);
    gw_parallel_for((t->args->rows + GW_PIECE_F32 - 1) / GW_PIECE_F32, 1, conv_multiply_pieces_f32, t);
}

// dW_t += sum of dy[r] x[r + shift]^T over the rows of a piece, for some taps, up to OUTS outputs and a panel of
// inputs. Both operands are copied to be contiguous: the outputs once for all taps, and as many rows of x as fit. A tap
// that reads other rows is another pointer into them.
enum { OUTS = 48, IN_ROWS = GW_PIECE_F32 + 256 };

typedef struct {
    conv_shape shape; // for the columns of the inputs
    int64_t group, tap, taps, out, outs, in, ins;
    int64_t first, end; // existing rows of x
    float dout[GW_PIECE_F32][OUTS], x[IN_ROWS * MOST_PANEL];
} conv_block;

// Copies columns, padded with zeros to whole vectors.
static void conv_copy_rows(float *to, int64_t to_stride, const float *from, int64_t stride, int64_t rows,
                           int64_t columns) {
    for (int64_t r = 0; r < rows; r++, to += to_stride, from += stride)
        for (int64_t i = 0; i < columns; i += GW_LANES) gw_store(to + i, gw_load_some(from + i, columns - i));
}

// Copies rows [first, end) of x, and further rows if the next tap reads some of the same.
static void conv_copy_in(const gw_convolution_args *args, conv_block *w, const gw_piece *piece, int64_t first,
                         int64_t end) {
    const int64_t k = args->in_width / args->groups, capacity = first + IN_ROWS;
    if (first >= w->first && end <= w->end) return;
    w->first = first;
    w->end = args->dilation < end - first ? conv_least(piece->end, capacity) : end;
    conv_copy_rows(w->x, w->shape.panel, args->in + first * args->in_width + w->group * k + w->in, args->in_width,
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
                      .a_row = 1,
                      .a_step = OUTS,
                      .b = w->x + (first + shift - w->first) * w->shape.panel,
                      .c_stride = k,
                      .adds = true};
    for (int64_t o = 0; o < w->outs; o += w->shape.rows) {
        tile.rows = conv_least(w->outs - o, w->shape.rows);
        tile.c = args->weight_gradient + ((tap * args->groups + w->group) * n + w->out + o) * k + w->in;
        tile.a = w->dout[first - piece->first] + o; // missing columns give sums that are not used
        w->shape.multiply(&tile);
    }
}

static void conv_add_weights(const gw_convolution_args *args, conv_block *w, const gw_piece *piece) {
    conv_copy_rows(w->dout[0], OUTS,
                   args->out_gradient + piece->first * args->width + w->group * (args->width / args->groups) + w->out,
                   args->width, piece->count, w->outs);
    w->first = w->end = 0;
    for (int64_t tap = w->tap; tap < w->tap + w->taps; tap++) conv_add_tap(args, w, tap, piece);
}

// Blocks of weights. A thread takes all taps of a block, unless there are fewer blocks than threads.
typedef struct {
    const gw_convolution_args *args;
    int64_t outs, ins, runs, taps; // numbers of blocks; taps of a run
} conv_blocks;

static conv_blocks conv_cut_blocks(const gw_convolution_args *args) {
    enum { ENOUGH = 2, FEW_TAPS = 3 };
    conv_blocks cut = {
        .args = args,
        .outs = conv_panels(args->width / args->groups, OUTS),
        .ins = conv_panels(args->in_width / args->groups, conv_shape_of(args->in_width / args->groups).panel)};
    cut.taps = cut.outs * cut.ins * args->groups >= ENOUGH * gw_threads() ? args->taps : FEW_TAPS;
    cut.runs = conv_panels(args->taps, cut.taps);
    return cut;
}

// Items are blocks.
static void conv_weights_f32(void *context, int64_t begin, int64_t end, int thread) {
    const conv_blocks *cut = context;
    const gw_convolution_args *args = cut->args;
    const conv_shape shape = conv_shape_of(args->in_width / args->groups);
    const int64_t n = args->width / args->groups, k = args->in_width / args->groups;
    (void)thread;
    for (int64_t item = begin; item < end; item++) {
        conv_block w;
        w.shape = shape;
        w.out = item % cut->outs * OUTS, w.outs = conv_least(n - w.out, OUTS);
        w.in = item / cut->outs % cut->ins * shape.panel, w.ins = conv_least(k - w.in, shape.panel);
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
