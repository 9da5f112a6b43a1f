// SPDX-License-Identifier: MIT
// Layer norm and RMS norm: a warp a row, whose sums are taken about the mean in a second pass; gradients of weights by
// column.
#include "kernels/cuda/column_sums.h"
#include "kernels/cuda/layer_norm_row.h"

static __global__ void layer_norm(gw_layer_norm_args a) {
    const int64_t row = gpu_row();
    if (row >= a.rows) return; // a whole warp
    const gpu_norm norm =
        gpu_layer_norm_row(a.in + row * a.width, a.width, a.epsilon, a.weight, a.bias, a.out + row * a.width);
    if (gpu_lane() == 0) {
        a.mean[row] = norm.mean;
        a.inverse_deviation[row] = norm.inverse;
    }
}

GW_CUDA_OP(layer_norm, gw_layer_norm_args) {
    return gw_cuda_launch_rows("layer_norm", layer_norm, args->rows, *args);
}

// With x' = (x - mean) / deviation and g = dy weight: dx = (g - mean(g) - x' mean(g x')) / deviation; RMS norm has no
// mean(g).
static __global__ void layer_norm_input_gradient(gw_layer_norm_args a) {
    const int64_t row = gpu_row();
    if (row >= a.rows) return; // a whole warp
    const float mean = a.mean[row], inverse = a.inverse_deviation[row];
    const float *in = a.in + row * a.width, *dout = a.out_gradient + row * a.width;
    float sum = 0, product = 0;
    for (int64_t i = gpu_lane(); i < a.width; i += GW_CUDA_WARP) {
        const float g = dout[i] * a.weight[i];
        sum += g;
        product += g * (in[i] - mean) * inverse;
    }
    sum = a.bias ? gpu_warp_sum(sum) / float(a.width) : 0.0f;
    product = gpu_warp_sum(product) / float(a.width);
    for (int64_t i = gpu_lane(); i < a.width; i += GW_CUDA_WARP) {
        float *to = a.in_gradient + row * a.width + i;
        const float dx = (dout[i] * a.weight[i] - sum - (in[i] - mean) * inverse * product) * inverse;
        *to = a.overwrites ? dx : *to + dx;
    }
}

static __global__ void layer_norm_weight_gradients(gw_layer_norm_args a) {
    const int64_t column = gpu_column();
    const bool there = column < a.width, first = threadIdx.x < GW_CUDA_WARP;
    const float of_weight = gpu_sum_rows(a.rows, there, [&](int64_t r) {
        const int64_t i = r * a.width + column;
        return a.out_gradient[i] * (a.in[i] - a.mean[r]) * a.inverse_deviation[r];
    });
    if (there && first) a.weight_gradient[column] += of_weight;
    if (!a.bias || !a.bias_gradient) return; // the whole grid
    const float of_bias = gpu_sum_rows(a.rows, there, [&](int64_t r) { return a.out_gradient[r * a.width + column]; });
    if (there && first) a.bias_gradient[column] += of_bias;
}

GW_CUDA_OP(layer_norm_backward, gw_layer_norm_args) {
    GW_TRY(gw_cuda_launch_columns("layer_norm_backward", layer_norm_weight_gradients, args->width, *args));
    return gw_cuda_launch_rows("layer_norm_backward", layer_norm_input_gradient, args->rows, *args);
}
