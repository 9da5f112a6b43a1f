// SPDX-License-Identifier: MIT
// Block-graph attention, backward: by the plain kernels.
#include "kernels/cuda/attention_plain.h"
#include "kernels/cuda/scratch.h"

int64_t gw_cuda_attention_backward_scratch(const gw_attention_args *args) {
    return args->heads * args->query_rows;
}

GW_CUDA_OP(attention_backward, gw_attention_args) {
    return gw_cuda_attention_plain_backward(args, nullptr, args->scratch);
}
