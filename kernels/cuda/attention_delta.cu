// SPDX-License-Identifier: MIT
// A warp a row of a head.
#include "kernels/cuda/attention_delta.h"

#include "kernels/cuda/rounded.h"

namespace {

// stride: of what is stored as bf16
__global__ void products_with_out(gw_attention_args a, int64_t stride, float *delta) {
    const int64_t number = gpu_row(), head = number / a.query_rows, i = number % a.query_rows;
    if (head >= a.heads) return; // a whole warp
    const int64_t column = head * a.head_size, at = i * a.out_stride + column, rounded_at = i * stride + column;
    float sum = 0;
    for (int d = gpu_lane(); d < a.head_size; d += GW_CUDA_WARP) {
        const float dout =
            a.out_gradient_bf16 ? gpu_widen(a.out_gradient_bf16[rounded_at + d]) : a.out_gradient[at + d];
        sum += dout * (a.out_bf16 ? gpu_widen(a.out_bf16[rounded_at + d]) : a.out[at + d]);
    }
    sum = gpu_warp_sum(sum);
    if (gpu_lane() == 0) delta[number] = sum;
}

} // namespace

gw_status gw_cuda_attention_delta(const gw_attention_args *args, float *delta) {
    return gw_cuda_launch_rows("attention_backward", products_with_out, args->heads * args->query_rows, *args,
                               gw_bf16_stride(int64_t(args->heads) * args->head_size), delta);
}
