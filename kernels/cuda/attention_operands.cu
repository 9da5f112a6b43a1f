// SPDX-License-Identifier: MIT
// What attention on tensor cores takes, and its operands, rounded.
#include "kernels/cuda/attention_mma.h"
#include "kernels/cuda/round_rows.h"

extern "C" {
#include "kernels/stored_bf16.h"
}

namespace {

gw_status round_operand(const float *in, int64_t stride, int64_t rows, int64_t width, uint16_t *out) {
    const gw_cuda_rounding rounding = {in, stride, rows, width, GW_ACTIVATION_NONE, out};
    return gw_cuda_round_rows("attention", &rounding);
}

int64_t width_of(const gw_attention_args *args) {
    return int64_t(args->heads) * args->head_size;
}

} // namespace

bool gw_mma_attention_fits(const gw_attention_args *args) {
    return gw_cuda_tensor_cores(args);
}

int gw_mma_tile(const gw_attention_args *args, int most) {
    int tile = most;
    while (args->block % tile != 0) tile /= 2;
    return tile;
}

int64_t gw_mma_operand_floats(const gw_attention_args *args, bool backward) {
    return ((1 + backward) * args->query_rows + 2 * args->key_rows) * gw_bf16_stride(width_of(args)) / 2;
}

gw_status gw_mma_round(const gw_attention_args *args, bool backward, float *scratch, gpu_mma_attention *p) {
    const int64_t width = width_of(args), stride = gw_bf16_stride(width);
    uint16_t *query = reinterpret_cast<uint16_t *>(scratch), *key = query + args->query_rows * stride;
    uint16_t *value = key + args->key_rows * stride, *out_gradient = value + args->key_rows * stride;
    p->a = *args;
    p->query = query, p->key = key, p->value = value, p->out_gradient = out_gradient;
    p->stride = stride;
    if (args->query_bf16) {
        p->query = args->query_bf16, p->key = args->key_bf16, p->value = args->value_bf16;
    } else {
        GW_TRY(round_operand(args->query, args->query_stride, args->query_rows, width, query));
        GW_TRY(round_operand(args->key, args->key_stride, args->key_rows, width, key));
        GW_TRY(round_operand(args->value, args->value_stride, args->key_rows, width, value));
    }
    if (args->out_gradient_bf16) p->out_gradient = args->out_gradient_bf16;
    else if (backward)
        return round_operand(args->out_gradient, args->out_stride, args->query_rows, width, out_gradient);
    return GW_OK;
}
