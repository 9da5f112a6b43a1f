// SPDX-License-Identifier: MIT
// A weight and a bias for each column, and a leaky ReLU: a thread a number; gradients of weights by column.
#include "kernels/cuda/column_sums.h"

namespace {

GPU_FN float affine_of(const gw_affine_args &a, int64_t i, int64_t column) {
    return fmaf(a.in[i], a.weight[column], a.bias[column]);
}

__global__ void affine(gw_affine_args a) {
    const int64_t i = gpu_element();
    if (i >= a.rows * a.width) return;
    const float z = affine_of(a, i, i % a.width);
    a.out[i] = z * a.slope > z ? z * a.slope : z;
}

// The gradient of z.
GPU_FN float inner_gradient(const gw_affine_args &a, int64_t i, int64_t column) {
    return affine_of(a, i, column) > 0.0f ? a.out_gradient[i] : a.out_gradient[i] * a.slope;
}

__global__ void affine_input_gradient(gw_affine_args a) {
    const int64_t i = gpu_element(), column = i % a.width;
    if (i >= a.rows * a.width) return;
    const float dx = inner_gradient(a, i, column) * a.weight[column];
    a.in_gradient[i] = a.overwrites ? dx : a.in_gradient[i] + dx;
}

__global__ void affine_weight_gradients(gw_affine_args a, gpu_column_sums sums) {
    const int64_t column = gpu_column();
    gpu_add_column(sums, 0, [&](int64_t r) {
        const int64_t i = r * a.width + column;
        return inner_gradient(a, i, column) * a.in[i];
    });
    gpu_add_column(sums, 1, [&](int64_t r) { return inner_gradient(a, r * a.width + column, column); });
}

} // namespace

GW_CUDA_OP(affine, gw_affine_args) {
    return gw_cuda_launch_elements("affine", affine, args->rows * args->width, *args);
}

GW_CUDA_OP(affine_backward, gw_affine_args) {
    const gpu_column_sums sums = {{args->weight_gradient, args->bias_gradient}, args->rows, args->width, nullptr};
    GW_TRY(gw_cuda_add_columns("affine_backward", affine_weight_gradients, sums, *args));
    return gw_cuda_launch_elements("affine_backward", affine_input_gradient, args->rows * args->width, *args);
}
