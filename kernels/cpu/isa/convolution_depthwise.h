// SPDX-License-Identifier: MIT
// Depthwise convolutions: every channel is a separate group, so a tap is one product a number, and vectors hold
// channels. lib/nn uses f32 for them, because memory traffic dominates.
#ifndef GW_KERNELS_CPU_ISA_CONVOLUTION_DEPTHWISE_H
#define GW_KERNELS_CPU_ISA_CONVOLUTION_DEPTHWISE_H

#include "base/parallel.h"
#include "kernels/cpu/isa/convolution_taps.h"

GW_INLINE bool conv_is_depthwise(const gw_convolution_args *args) {
    return args->groups > 1 && args->groups == args->width && args->groups == args->in_width &&
           !gw_convolution_packs(args);
}

// A row. Its taps [first, end) read rows of its sequence.
GW_INLINE void conv_depthwise_row(const conv_taps *t, int64_t row, conv_range taps) {
    const int64_t width = t->args->width, middle = (t->args->taps - 1) / 2;
    for (int64_t i = 0; i < width; i += GW_LANES) {
        const int64_t left = width - i;
        float *out = t->out + row * width + i;
        gw_f32v sum = t->bias ? gw_load_some(t->bias + i, left) : gw_all(0.0f);
        for (int64_t tap = taps.first; tap < taps.end; tap++)
            sum = gw_fma(gw_load_some(t->args->weight + tap * width + i, left),
                         gw_load_some(t->in + (row + (tap - middle) * t->step) * width + i, left), sum);
        gw_store_some(out, t->adds ? gw_load_some(out, left) + sum : sum, left);
    }
}

// Items are rows; a range of items covers the pieces with their first row in it.
static void conv_depthwise_pieces(void *context, int64_t begin, int64_t end, int thread) {
    const conv_taps *t = context;
    const int64_t stop = conv_least(end * GW_PIECE_F32, t->args->rows);
    (void)thread;
    for (gw_piece p = gw_piece_at(t->args, begin * GW_PIECE_F32, GW_PIECE_F32); p.count > 0 && p.first < stop;
         p = gw_piece_next(t->args, &p, GW_PIECE_F32))
        for (int64_t row = p.first; row < p.first + p.count; row++)
            conv_depthwise_row(t, row, conv_taps_to_rows(t, &p, row, 1));
}

static void conv_run_depthwise(conv_taps *t) {
    gw_parallel_for((t->args->rows + GW_PIECE_F32 - 1) / GW_PIECE_F32, 1, conv_depthwise_pieces, t);
}

// Adds the sum over the rows of a piece to a vector of the gradient of a tap's weights.
GW_INLINE void conv_depthwise_weight(const gw_convolution_args *args, const gw_piece *piece, int64_t tap, int64_t i) {
    const int64_t width = args->width, left = width - i, shift = (tap - (args->taps - 1) / 2) * args->dilation;
    float *to = args->weight_gradient + tap * width + i;
    gw_f32v sum = gw_all(0.0f);
    for (int64_t row = piece->first; row < piece->first + piece->count; row++)
        if (row + shift >= piece->begin && row + shift < piece->end)
            sum = gw_fma(gw_load_some(args->out_gradient + row * width + i, left),
                         gw_load_some(args->in + (row + shift) * width + i, left), sum);
    gw_store_some(to, gw_load_some(to, left) + sum, left);
}

// Items are vectors of channels.
static void conv_depthwise_weights(void *context, int64_t begin, int64_t end, int thread) {
    const gw_convolution_args *args = context;
    (void)thread;
    for (gw_piece p = gw_piece_from(args, 0, 0, GW_PIECE_F32); p.count > 0; p = gw_piece_next(args, &p, GW_PIECE_F32))
        for (int64_t tap = 0; tap < args->taps; tap++)
            for (int64_t v = begin; v < end; v++) conv_depthwise_weight(args, &p, tap, v * GW_LANES);
}

static void conv_run_depthwise_weights(const gw_convolution_args *args) {
    enum { GRAIN = 4 };
    gw_parallel_for(conv_panels(args->width, GW_LANES), GRAIN, conv_depthwise_weights, (void *)args);
}

#endif
