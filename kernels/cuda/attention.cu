// SPDX-License-Identifier: MIT
// Block-graph attention, forward: on tensor cores where numbers are bf16 and blocks and heads are such that those
// kernels take them, else by the plain kernel.
#include "kernels/cuda/attention_mma.h"
#include "kernels/cuda/attention_plain.h"
#include "kernels/cuda/scratch.h"

namespace {

int64_t jobs_floats(const gw_attention_args *args) {
    return gw_cuda_jobs_floats(args, gw_mma_forward_tile(args), GW_CUDA_QUERIES);
}

gw_status on_tensor_cores(const gw_attention_args *args) {
    gpu_mma_attention p = {};
    GW_TRY(gw_mma_round(args, false, args->scratch + jobs_floats(args), &p));
    GW_TRY(gw_cuda_write_jobs(args, gw_mma_forward_tile(args), GW_CUDA_QUERIES, args->scratch, &p.jobs));
    return gw_mma_attention_launch(&p);
}

} // namespace

int64_t gw_cuda_attention_scratch(const gw_attention_args *args) {
    return gw_mma_attention_fits(args) ? jobs_floats(args) + gw_mma_operand_floats(args, false) : 0;
}

GW_CUDA_OP(attention, gw_attention_args) {
    return gw_mma_attention_fits(args) ? on_tensor_cores(args) : gw_cuda_attention_plain_all(args, nullptr);
}
