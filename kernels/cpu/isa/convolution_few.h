// SPDX-License-Identifier: MIT
// A convolution of many taps to few columns. The products of all taps of a row are one product with all pairs of taps
// and columns as columns, P[r][tap, column]. out[r] is the sum of P[r + shift of the tap][tap] over the taps. A panel
// of the few columns alone would be mostly zeros.
#ifndef GW_KERNELS_CPU_ISA_CONVOLUTION_FEW_H
#define GW_KERNELS_CPU_ISA_CONVOLUTION_FEW_H

#include "kernels/cpu/isa/convolution_f32.h"

// Items are panels of taps and columns together.
static void conv_pack_few(void *context, int64_t begin, int64_t end, int thread) {
    const conv_taps *t = context;
    const int64_t all = t->args->taps * t->columns, panel = conv_shape_of(all).panel;
    (void)thread;
    for (int64_t item = begin; item < end; item++)
        for (int64_t i = 0; i < panel; i++) {
            const int64_t of = item * panel + i, tap = of / t->columns, column = of % t->columns;
            const float *from = of < all ? conv_weight(t->args, 0, tap) + column * t->line_stride : NULL;
            float *to = t->panels + item * t->depth * panel + i;
            for (int64_t d = 0; d < t->depth; d++) to[d * panel] = from ? from[d * t->depth_stride] : 0.0f;
        }
}

// P of rows [first, end) of a sequence, [end - first][stride].
static void conv_multiply_few(const conv_taps *t, const gw_piece *piece, int64_t first, int64_t end, float *products,
                              int64_t stride) {
    const int64_t all = t->args->taps * t->columns;
    const conv_shape shape = conv_shape_of(all);
    float copy[MOST_ROWS * KC];
    for (int64_t column = 0; column < all; column += shape.panel)
        for (int64_t d = 0; d < t->depth; d += KC) {
            conv_tile tile = {.columns = conv_least(all - column, shape.panel),
                              .depth = conv_least(t->depth - d, KC),
                              .a_step = 1,
                              .b = t->panels + column * t->depth + d * shape.panel,
                              .c_stride = stride,
                              .adds = d > 0};
            for (int64_t row = first; row < end; row += shape.rows) {
                tile.rows = conv_least(end - row, shape.rows);
                tile.c = products + (row - first) * stride + column;
                conv_shift_rows(t, piece, row, d, shape.rows, copy, &tile);
                shape.multiply(&tile);
            }
        }
}

// Items are rows; a range of items covers the pieces with their first row in it.
static void conv_add_few(void *context, int64_t begin, int64_t end, int thread) {
    const conv_taps *t = context;
    const gw_convolution_args *args = t->args;
    const int64_t stop = conv_least(end * GW_PIECE_FEW, args->rows), middle = (args->taps - 1) / 2;
    const int64_t stride = conv_panels(args->taps * t->columns, GW_CONVOLUTION_PANEL) * GW_CONVOLUTION_PANEL;
    float *products = t->rows + thread * gw_convolution_few_floats(args, t->columns);
    for (gw_piece p = gw_piece_at(args, begin * GW_PIECE_FEW, GW_PIECE_FEW); p.count > 0 && p.first < stop;
         p = gw_piece_next(args, &p, GW_PIECE_FEW)) {
        const int64_t reach = gw_convolution_reach(args);
        const int64_t first = p.first - reach > p.begin ? p.first - reach : p.begin;
        const int64_t last = conv_least(p.first + p.count + reach, p.end);
        conv_multiply_few(t, &p, first, last, products, stride);
        for (int64_t row = p.first; row < p.first + p.count; row++)
            for (int64_t c = 0; c < t->columns; c++) {
                float *out = t->out + row * t->columns + c, sum = t->bias ? t->bias[c] : 0.0f;
                for (int64_t tap = 0; tap < args->taps; tap++) {
                    const int64_t from = row + (tap - middle) * t->step;
                    if (from >= first && from < last) sum += products[(from - first) * stride + tap * t->columns + c];
                }
                *out = t->adds ? *out + sum : sum;
            }
    }
}

static void conv_run_few(conv_taps *t) {
    const int64_t all = t->args->taps * t->columns, panels = conv_panels(all, conv_shape_of(all).panel);
    t->panels = t->args->scratch;
    t->rows = t->panels + gw_convolution_weight_floats(t->args, t->depth, t->columns);
    gw_parallel_for(panels, 1, conv_pack_few, t);
    gw_parallel_for((t->args->rows + GW_PIECE_FEW - 1) / GW_PIECE_FEW, 1, conv_add_few, t);
}

#endif
