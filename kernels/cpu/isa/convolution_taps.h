// SPDX-License-Identifier: MIT
// One direction of a convolution, out[r] (+)= bias + sum over taps t of A_t in[r + (t - middle) step]. It serves the
// forward product (A_t = W_t) and the gradient of its input (A_t = W_t^T, with the opposite step).
#ifndef GW_KERNELS_CPU_ISA_CONVOLUTION_TAPS_H
#define GW_KERNELS_CPU_ISA_CONVOLUTION_TAPS_H

#include "kernels/cpu/convolution_cut.h"
#include "kernels/cpu/isa/vector.h"

typedef struct {
    const gw_convolution_args *args;
    int64_t depth, columns;            // for each group
    int64_t line_stride, depth_stride; // of A_t: number d of column i is W_t[i line_stride + d depth_stride]
    const float *in;                   // [R][groups depth]
    float *out;                        // [R][groups columns]
    int64_t step;                      // rows between taps
    const float *bias;
    bool adds;
    float *panels, *rows; // packed weights; rows packed by threads
} conv_taps;

GW_INLINE conv_taps conv_forward(const gw_convolution_args *args) {
    const int64_t in = args->in_width / args->groups;
    return (conv_taps){.args = args,
                       .depth = in,
                       .columns = args->width / args->groups,
                       .line_stride = in,
                       .depth_stride = 1,
                       .in = args->in,
                       .out = args->out,
                       .step = args->dilation,
                       .bias = args->bias};
}

GW_INLINE conv_taps conv_back(const gw_convolution_args *args) {
    const int64_t in = args->in_width / args->groups;
    return (conv_taps){.args = args,
                       .depth = args->width / args->groups,
                       .columns = in,
                       .line_stride = 1,
                       .depth_stride = in,
                       .in = args->out_gradient,
                       .out = args->in_gradient,
                       .step = -(int64_t)args->dilation,
                       .adds = !args->overwrites};
}

// W_t of a group.
GW_INLINE const float *conv_weight(const gw_convolution_args *args, int64_t group, int64_t tap) {
    return args->weight + (tap * args->groups + group) * (args->width / args->groups) * (args->in_width / args->groups);
}

GW_INLINE int64_t conv_panels(int64_t columns, int64_t panel) {
    return (columns + panel - 1) / panel;
}

GW_INLINE int64_t conv_least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// The taps with which rows [first, first + count) of a piece read rows of its sequence: [first, end).
typedef struct {
    int64_t first, end;
} conv_range;
GW_INLINE conv_range conv_taps_to_rows(const conv_taps *t, const gw_piece *piece, int64_t first, int64_t count) {
    const int64_t middle = (t->args->taps - 1) / 2, each = t->args->dilation;
    const int64_t back = conv_least(middle, (first + count - 1 - piece->begin) / each);
    const int64_t on = conv_least(middle, (piece->end - 1 - first) / each);
    return t->step > 0 ? (conv_range){middle - back, middle + on + 1} : (conv_range){middle - on, middle + back + 1};
}

// The n-th of these taps in working order: the middle one first, which reaches every row, then from the first on.
GW_INLINE int64_t conv_tap_in_turn(const gw_convolution_args *args, const conv_range *range, int64_t n) {
    const int64_t middle = (args->taps - 1) / 2;
    if (n == 0) return middle;
    return range->first + n <= middle ? range->first + n - 1 : range->first + n;
}

#endif
