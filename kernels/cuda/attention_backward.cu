// SPDX-License-Identifier: MIT
// Block-graph attention, backward: on tensor cores as the forward pass, in two launches, else by the plain kernels.
#include "kernels/cuda/attention_delta.h"
#include "kernels/cuda/attention_mma.h"
#include "kernels/cuda/attention_plain.h"
#include "kernels/cuda/scratch.h"

namespace {

int64_t jobs_floats(const gw_attention_args *args, gw_cuda_side side) {
    return gw_cuda_jobs_floats(args, gw_mma_backward_tile(args), side);
}

int64_t delta_floats(const gw_attention_args *args) {
    return gw_cuda_divide(args->heads * args->query_rows, 16) * 16; // operands behind it are aligned
}

gw_status add_gradients(const gw_attention_args *args, gpu_mma_attention *p, gw_cuda_side side, float *jobs) {
    GW_TRY(gw_cuda_write_jobs(args, gw_mma_backward_tile(args), side, jobs, &p->jobs));
    return gw_mma_gradients_launch(p, side);
}

gw_status on_tensor_cores(const gw_attention_args *args) {
    float *of_queries = args->scratch, *of_keys = of_queries + jobs_floats(args, GW_CUDA_QUERIES);
    float *delta = of_keys + jobs_floats(args, GW_CUDA_KEYS);
    gpu_mma_attention p = {};
    GW_TRY(gw_mma_round(args, true, delta + delta_floats(args), &p));
    GW_TRY(gw_cuda_attention_delta(args, delta));
    p.delta = delta;
    GW_TRY(add_gradients(args, &p, GW_CUDA_QUERIES, of_queries));
    return add_gradients(args, &p, GW_CUDA_KEYS, of_keys);
}

} // namespace

int64_t gw_cuda_attention_backward_scratch(const gw_attention_args *args) {
    if (!gw_mma_attention_fits(args)) return args->heads * args->query_rows;
    return jobs_floats(args, GW_CUDA_QUERIES) + jobs_floats(args, GW_CUDA_KEYS) + delta_floats(args) +
           gw_mma_operand_floats(args, true);
}

GW_CUDA_OP(attention_backward, gw_attention_args) {
    return gw_mma_attention_fits(args) ? on_tensor_cores(args)
                                       : gw_cuda_attention_plain_backward(args, nullptr, args->scratch);
}
