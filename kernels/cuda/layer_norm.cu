// SPDX-License-Identifier: MIT
// Layer norm and RMS norm: a warp a row, whose sums are taken about the mean in a second pass; gradients of weights by
// column.
#include "kernels/cuda/column_sums.h"
#include "kernels/cuda/dropped.h"
#include "kernels/cuda/layer_norm_row.h"

// stride: of out_bf16
GPU_FN void norm_row(const gw_layer_norm_args &a, int64_t stride, int64_t row) {
    const gpu_norm norm =
        gpu_layer_norm_row(a.in + row * a.width, a.width, a.epsilon, a.weight, a.bias,
                           a.out ? a.out + row * a.width : nullptr, a.out_bf16 ? a.out_bf16 + row * stride : nullptr);
    if (gpu_lane() == 0) {
        a.mean[row] = norm.mean;
        a.inverse_deviation[row] = norm.inverse;
    }
}

static __global__ void layer_norm(gw_layer_norm_args a, int64_t stride) {
    const int64_t row = gpu_row();
    if (row < a.rows) norm_row(a, stride, row); // a whole warp
}

// Numbers first + 8 lane and so on of a row, for body(their index).
template <typename F> GPU_FN void each_eight(const gw_layer_norm_args &a, int64_t row, F body) {
#pragma unroll 1
    for (int64_t i = 8 * gpu_lane(); i < a.width; i += 8 * GW_CUDA_WARP) body(row * a.width + i);
}

static __global__ void sum_and_norm(gw_layer_norm_args a, int64_t stride, gpu_dropping sum) {
    const int64_t row = gpu_row();
    if (row >= a.rows) return; // a whole warp
    each_eight(a, row, [&](int64_t i) { gpu_add_dropped(sum, i); });
    __syncwarp(); // the row of the sum is there
    norm_row(a, stride, row);
}

GW_CUDA_OP(layer_norm, gw_layer_norm_args) {
    const int64_t stride = gw_bf16_stride(args->width);
    if (!args->sum) return gw_cuda_launch_rows("layer_norm", layer_norm, args->rows, *args, stride);
    return gw_cuda_launch_rows("layer_norm", sum_and_norm, args->rows, *args, stride, gw_cuda_dropping(args->sum));
}

// With x' = (x - mean) / deviation and g = dy weight: dx = (g - mean(g) - x' mean(g x')) / deviation; RMS norm has no
// mean(g). g is rounded: a product that was added unrounded would leave a difference where g - mean(g) is 0.
GPU_FN void add_input_gradient(const gw_layer_norm_args &a, int64_t row) {
    const float mean = a.mean[row], inverse = a.inverse_deviation[row];
    const float *in = a.in + row * a.width, *dout = a.out_gradient + row * a.width;
    float sum = 0, product = 0;
    for (int64_t i = gpu_lane(); i < a.width; i += GW_CUDA_WARP) {
        const float g = __fmul_rn(dout[i], a.weight[i]);
        sum += g;
        product += g * (in[i] - mean) * inverse;
    }
    sum = a.bias ? gpu_warp_sum(sum) / float(a.width) : 0.0f;
    product = gpu_warp_sum(product) / float(a.width);
    for (int64_t i = gpu_lane(); i < a.width; i += GW_CUDA_WARP) {
        float *to = a.in_gradient + row * a.width + i;
        const float dx = (__fmul_rn(dout[i], a.weight[i]) - sum - (in[i] - mean) * inverse * product) * inverse;
        *to = a.overwrites ? dx : *to + dx;
    }
}

static __global__ void layer_norm_input_gradient(gw_layer_norm_args a) {
    const int64_t row = gpu_row();
    if (row < a.rows) add_input_gradient(a, row); // a whole warp
}

static __global__ void sum_and_norm_input_gradients(gw_layer_norm_args a, gpu_dropping sum) {
    const int64_t row = gpu_row();
    if (row >= a.rows) return; // a whole warp
    add_input_gradient(a, row);
    __syncwarp(); // the row of the gradient is there
    each_eight(a, row, [&](int64_t i) { gpu_add_dropped_gradients(sum, i); });
}

static __global__ void layer_norm_weight_gradients(gw_layer_norm_args a, gpu_column_sums sums) {
    const int64_t column = gpu_column();
    gpu_add_column(sums, 0, [&](int64_t r) {
        const int64_t i = r * a.width + column;
        return a.out_gradient[i] * (a.in[i] - a.mean[r]) * a.inverse_deviation[r];
    });
    if (sums.out[1]) gpu_add_column(sums, 1, [&](int64_t r) { return a.out_gradient[r * a.width + column]; });
}

GW_CUDA_OP(layer_norm_backward, gw_layer_norm_args) {
    const gpu_column_sums sums = {
        {args->weight_gradient, args->bias ? args->bias_gradient : nullptr}, args->rows, args->width, nullptr};
    GW_TRY(gw_cuda_add_columns("layer_norm_backward", layer_norm_weight_gradients, sums, *args));
    if (!args->sum) return gw_cuda_launch_rows("layer_norm_backward", layer_norm_input_gradient, args->rows, *args);
    return gw_cuda_launch_rows("layer_norm_backward", sum_and_norm_input_gradients, args->rows, *args,
                               gw_cuda_dropping(args->sum));
}
