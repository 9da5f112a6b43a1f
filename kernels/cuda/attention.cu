// SPDX-License-Identifier: MIT
// Block-graph attention, forward: on tensor cores where numbers are bf16 and the graph is one that kernel takes, else
// by the plain kernel. Operands of the former are rounded into scratch memory beforehand.
#include "kernels/cuda/attention_mma.h"
#include "kernels/cuda/attention_plain.h"
#include "kernels/cuda/round_rows.h"
#include "kernels/cuda/scratch.h"

namespace {

gw_status round_operand(const float *in, int64_t stride, int64_t rows, int64_t width, uint16_t *out) {
    const gw_cuda_rounding rounding = {in, stride, rows, width, GW_ACTIVATION_NONE, out};
    return gw_cuda_round_rows("attention", &rounding);
}

int64_t jobs_floats(const gw_attention_args *args) {
    return gw_cuda_jobs_floats(args, gw_mma_tile(args), GW_CUDA_QUERIES);
}

gw_status on_tensor_cores(const gw_attention_args *args) {
    gpu_mma_attention p = {};
    p.a = *args;
    p.stride = int64_t(args->heads) * args->head_size;
    uint16_t *query = reinterpret_cast<uint16_t *>(args->scratch + jobs_floats(args));
    uint16_t *key = query + args->query_rows * p.stride, *value = key + args->key_rows * p.stride;
    p.query = query, p.key = key, p.value = value;
    GW_TRY(round_operand(args->query, args->query_stride, args->query_rows, p.stride, query));
    GW_TRY(round_operand(args->key, args->key_stride, args->key_rows, p.stride, key));
    GW_TRY(round_operand(args->value, args->value_stride, args->key_rows, p.stride, value));
    GW_TRY(gw_cuda_write_jobs(args, gw_mma_tile(args), GW_CUDA_QUERIES, args->scratch, &p.jobs));
    return gw_mma_attention_launch(&p);
}

} // namespace

int64_t gw_cuda_attention_scratch(const gw_attention_args *args) {
    if (!gw_mma_attention_fits(args)) return 0;
    const int64_t width = int64_t(args->heads) * args->head_size;
    return jobs_floats(args) + (args->query_rows + 2 * args->key_rows) * width / 2;
}

GW_CUDA_OP(attention, gw_attention_args) {
    return gw_mma_attention_fits(args) ? on_tensor_cores(args) : gw_cuda_attention_plain_all(args, nullptr);
}
