// SPDX-License-Identifier: MIT
// Convolution as products of shifted rows: of each sequence and tap the rows that the tap reaches, the middle tap,
// which reaches all of them, first.
#include "kernels/cpu/isa/isa.h"

#include <stddef.h>

typedef struct {
    const gw_convolution_args *args;
    int64_t first, count; // rows of the sequence
    int64_t group;
} conv_part;

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t shift_of(const gw_convolution_args *args, int tap) {
    return (int64_t)(tap - (args->taps - 1) / 2) * args->dilation;
}

// The order of the taps: the middle one, those before it, those after.
static int nth_tap(const gw_convolution_args *args, int n) {
    const int middle = (args->taps - 1) / 2;
    return n == 0 ? middle : n <= middle ? n - 1 : n;
}

static gw_status forward_tap(const conv_part *p, int tap, bool first) {
    const gw_convolution_args *args = p->args;
    const int64_t k = args->in_width / args->groups, n = args->width / args->groups, shift = shift_of(args, tap);
    const int64_t row = p->first + larger(0, -shift);
    const float *bias = args->bias && first ? args->bias + p->group * n : NULL;
    return GW_KERNEL(gemm)(&(gw_gemm_args){
        .transpose_b = true,
        .accumulate = !first,
        .m = p->count - (shift < 0 ? -shift : shift),
        .n = n,
        .k = k,
        .a = args->in + (row + shift) * args->in_width + p->group * k,
        .a_stride = args->in_width,
        .b = args->weight + (tap * args->width + p->group * n) * k,
        .b_stride = k,
        .c = args->out + row * args->width + p->group * n,
        .c_stride = args->width,
        .bias = bias,
        .precision = args->precision,
        .scratch = args->scratch,
    });
}

static gw_status input_tap(const conv_part *p, int tap, bool first) {
    const gw_convolution_args *args = p->args;
    const int64_t k = args->in_width / args->groups, n = args->width / args->groups, shift = shift_of(args, tap);
    const int64_t row = p->first + larger(0, shift);
    return GW_KERNEL(gemm)(&(gw_gemm_args){
        .accumulate = !first || !args->overwrites,
        .m = p->count - (shift < 0 ? -shift : shift),
        .n = k,
        .k = n,
        .a = args->out_gradient + (row - shift) * args->width + p->group * n,
        .a_stride = args->width,
        .b = args->weight + (tap * args->width + p->group * n) * k,
        .b_stride = k,
        .c = args->in_gradient + row * args->in_width + p->group * k,
        .c_stride = args->in_width,
        .precision = args->precision,
        .scratch = args->scratch,
    });
}

static gw_status weight_tap(const conv_part *p, int tap) {
    const gw_convolution_args *args = p->args;
    const int64_t k = args->in_width / args->groups, n = args->width / args->groups, shift = shift_of(args, tap);
    const int64_t row = p->first + larger(0, -shift);
    return GW_KERNEL(gemm)(&(gw_gemm_args){
        .transpose_a = true,
        .accumulate = true,
        .m = n,
        .n = k,
        .k = p->count - (shift < 0 ? -shift : shift),
        .a = args->out_gradient + row * args->width + p->group * n,
        .a_stride = args->width,
        .b = args->in + (row + shift) * args->in_width + p->group * k,
        .b_stride = args->in_width,
        .c = args->weight_gradient + (tap * args->width + p->group * n) * k,
        .c_stride = k,
        .precision = args->precision,
        .scratch = args->scratch,
    });
}

static gw_status backward_tap(const conv_part *p, int tap, bool first) {
    GW_TRY(input_tap(p, tap, first));
    return weight_tap(p, tap);
}

static gw_status each_tap(const gw_convolution_args *args,
                          gw_status (*do_tap)(const conv_part *p, int tap, bool first)) {
    for (int64_t s = 0; s < args->sequences; s++)
        for (int64_t group = 0; group < args->groups; group++)
            for (int i = 0; i < args->taps; i++) {
                const conv_part part = {args, args->start[s], args->start[s + 1] - args->start[s], group};
                const int tap = nth_tap(args, i);
                const int64_t shift = shift_of(args, tap);
                if (shift < part.count && -shift < part.count) GW_TRY(do_tap(&part, tap, i == 0));
            }
    return GW_OK;
}

gw_status GW_KERNEL(convolution)(const gw_convolution_args *args) {
    return each_tap(args, forward_tap);
}

gw_status GW_KERNEL(convolution_backward)(const gw_convolution_args *args) {
    GW_TRY(each_tap(args, backward_tap));
    if (!args->bias_gradient) return GW_OK;
    return GW_KERNEL(column_sum)(&(gw_column_sum_args){.rows = args->rows,
                                                       .width = args->width,
                                                       .in = args->out_gradient,
                                                       .in_stride = args->width,
                                                       .out = args->bias_gradient});
}
