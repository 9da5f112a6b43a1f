// SPDX-License-Identifier: MIT
// Scratch memory that the CPU's launchers ask for, whatever their instruction set.
#include "kernels/cpu/scratch.h"

#include "base/parallel.h"
#include "kernels/cpu/attention_workspace.h"
#include "kernels/cpu/convolution_cut.h"
#include "kernels/cpu/draw_block.h"
#include "kernels/cpu/landmark_memory.h"
#include "kernels/cpu/linear_attention_state.h"
#include "kernels/cpu/matmul/gemm_onednn.h"
#include "kernels/cpu/matmul/gemm_packed.h"
#include "kernels/cpu/matmul/linear_onednn.h"
#include "kernels/cpu/row_parts.h"

static int64_t pairs(const gw_pair_softmax_args *args) {
    return (int64_t)args->heads * args->count * args->count;
}

static int64_t relative_scratch(const gw_relative_attention_args *args, bool backward) {
    return gw_attention_workspace_size(&args->attention, args, backward);
}

static int64_t gemm_scratch(const gw_gemm_args *args) {
    return args->precision == GW_BF16 ? gw_gemm_packed_scratch(args) : gw_gemm_onednn_scratch(args);
}

int64_t gw_cpu_scratch(gw_op op, const void *arguments) {
    switch (op) {
    case GW_OP_gemm: return gemm_scratch(arguments);
    case GW_OP_convolution: return gw_convolution_scratch(arguments);
    case GW_OP_convolution_backward: return gw_convolution_backward_scratch(arguments);
    case GW_OP_linear: return gw_linear_scratch(arguments);
    case GW_OP_affine_backward: return GW_ROW_PARTS * 2 * ((const gw_affine_args *)arguments)->width;
    case GW_OP_layer_norm_backward: return GW_ROW_PARTS * 2 * ((const gw_layer_norm_args *)arguments)->width;
    case GW_OP_attention: return gw_attention_workspace_size(arguments, NULL, false);
    case GW_OP_attention_backward: return gw_attention_workspace_size(arguments, NULL, true);
    case GW_OP_relative_attention: return relative_scratch(arguments, false);
    case GW_OP_relative_attention_backward: return relative_scratch(arguments, true);
    case GW_OP_draw_edges: return 2 * GW_DRAW_BLOCK * (int64_t)((const gw_draw_edges_args *)arguments)->clusters;
    case GW_OP_linear_attention:
    case GW_OP_linear_attention_backward: return gw_threads() * gw_linear_attention_state(arguments);
    case GW_OP_landmark_product:
    case GW_OP_landmark_product_backward: return gw_threads() * gw_landmark_memory(arguments);
    case GW_OP_pair_softmax_backward: return pairs(arguments);
    case GW_OP_span_loss: return GW_SPAN_ENDS * ((const gw_span_loss_args *)arguments)->tokens;
    default: return 0;
    }
}
