// SPDX-License-Identifier: MIT
// Scratch memory that the launchers ask for.
#include "kernels/cuda/scratch.h"

int64_t gw_cuda_scratch(gw_op op, const void *arguments) {
    switch (op) {
    case GW_OP_gemm: return gw_cuda_gemm_scratch(static_cast<const gw_gemm_args *>(arguments));
    case GW_OP_linear: return gw_cuda_linear_scratch(static_cast<const gw_linear_args *>(arguments));
    case GW_OP_attention: return gw_cuda_attention_scratch(static_cast<const gw_attention_args *>(arguments));
    default: return 0;
    }
}
