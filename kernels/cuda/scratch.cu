// SPDX-License-Identifier: MIT
// Scratch memory that the launchers ask for.
#include "kernels/cuda/scratch.h"

static int64_t pairs(const gw_pair_softmax_args *args) {
    return int64_t(args->heads) * args->count * args->count;
}

// The op's arguments, as what its function takes.
template <typename T> static int64_t of(int64_t (*scratch)(const T *), const void *arguments) {
    return scratch(static_cast<const T *>(arguments));
}

int64_t gw_cuda_scratch(gw_op op, const void *arguments) {
    switch (op) {
    case GW_OP_gemm: return of(gw_cuda_gemm_scratch, arguments);
    case GW_OP_linear: return of(gw_cuda_linear_scratch, arguments);
    case GW_OP_convolution: return of(gw_cuda_convolution_scratch, arguments);
    case GW_OP_convolution_backward: return of(gw_cuda_convolution_backward_scratch, arguments);
    case GW_OP_attention: return of(gw_cuda_attention_scratch, arguments);
    case GW_OP_attention_backward: return of(gw_cuda_attention_backward_scratch, arguments);
    case GW_OP_relative_attention: return of(gw_cuda_relative_attention_scratch, arguments);
    case GW_OP_relative_attention_backward: return of(gw_cuda_relative_attention_backward_scratch, arguments);
    case GW_OP_distance_attention: return of(gw_cuda_distance_attention_scratch, arguments);
    case GW_OP_distance_attention_backward: return of(gw_cuda_distance_attention_backward_scratch, arguments);
    case GW_OP_draw_edges: return of(gw_cuda_draw_edges_scratch, arguments);
    case GW_OP_linear_attention:
    case GW_OP_linear_attention_backward: return of(gw_cuda_linear_attention_scratch, arguments);
    case GW_OP_landmark_product:
    case GW_OP_landmark_product_backward: return of(gw_cuda_landmark_scratch, arguments);
    case GW_OP_pair_softmax_backward: return of(pairs, arguments);
    default: return 0;
    }
}
