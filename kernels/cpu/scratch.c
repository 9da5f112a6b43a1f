// SPDX-License-Identifier: MIT
// Scratch memory that the CPU's launchers ask for, whatever their instruction set.
#include "kernels/cpu/scratch.h"

#include "kernels/cpu/attention_room.h"
#include "kernels/cpu/layer_norm.h"
#include "kernels/cpu/matmul/gemm_onednn.h"
#include "kernels/cpu/matmul/gemm_packed.h"
#include "kernels/cpu/matmul/linear_onednn.h"

static int64_t gemm_scratch(const gw_gemm_args *args) {
    return args->precision == GW_BF16 ? gw_gemm_packed_scratch(args) : gw_gemm_onednn_scratch(args);
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t convolution_scratch(const gw_convolution_args *args) {
    const int64_t in = args->in_width / args->groups, out = args->width / args->groups;
    return gemm_scratch(&(gw_gemm_args){.m = args->rows, .n = out, .k = in, .precision = args->precision});
}

static int64_t convolution_backward_scratch(const gw_convolution_args *args) {
    const int64_t in = args->in_width / args->groups, out = args->width / args->groups;
    const gw_gemm_args of_in = {.m = args->rows, .n = in, .k = out, .precision = args->precision},
                       of_weight = {.transpose_a = true,
                                    .m = out,
                                    .n = in,
                                    .k = larger(args->rows, 1),
                                    .precision = args->precision};
    return larger(gemm_scratch(&of_in), gemm_scratch(&of_weight));
}

int64_t gw_cpu_scratch(gw_op op, const void *arguments) {
    switch (op) {
    case GW_OP_gemm: return gemm_scratch(arguments);
    case GW_OP_convolution: return convolution_scratch(arguments);
    case GW_OP_convolution_backward: return convolution_backward_scratch(arguments);
    case GW_OP_linear: return gw_linear_scratch(arguments);
    case GW_OP_layer_norm_backward: return GW_LAYER_NORM_PARTS * 2 * ((const gw_layer_norm_args *)arguments)->width;
    case GW_OP_attention: return gw_attention_room_size(arguments, false);
    case GW_OP_attention_backward: return gw_attention_room_size(arguments, true);
    case GW_OP_span_loss: return GW_SPAN_ENDS * ((const gw_span_loss_args *)arguments)->tokens;
    default: return 0;
    }
}
