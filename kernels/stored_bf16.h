// SPDX-License-Identifier: MIT
// Which ops of the CUDA plugin take bf16 tensors (takes_bf16 in backend.h): for the plugin, and for plans that are made
// without a GPU.
#ifndef GW_KERNELS_STORED_BF16_H
#define GW_KERNELS_STORED_BF16_H

#include "kernels/backend.h"

// Whether tensor cores compute this attention over block graphs. They need scores that grow with the scale.
static inline bool gw_cuda_tensor_cores(const gw_attention_args *args) {
    const int size = args->head_size;
    return args->precision == GW_BF16 && args->block % 16 == 0 && (size == 32 || size == 64 || size == 128) &&
           args->scale > 0;
}

static inline bool gw_cuda_takes_bf16(gw_op op, const void *arguments) {
    switch (op) {
    case GW_OP_gemm: return ((const gw_gemm_args *)arguments)->precision == GW_BF16;
    case GW_OP_attention: return gw_cuda_tensor_cores((const gw_attention_args *)arguments);
    case GW_OP_linear: // of bf16 weights
    case GW_OP_layer_norm:
    case GW_OP_activation:
    case GW_OP_dropout_add: return true;
    default: return false;
    }
}

#endif
