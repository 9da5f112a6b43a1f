// SPDX-License-Identifier: MIT
// Activations on every value alone, from a function and its derivative: eight values a thread.
#include "kernels/cuda/activation_functions.h"
#include "kernels/cuda/rounded.h"

namespace {
template <typename F> __global__ void activation_forward(gw_activation_args a) {
    gpu_for_eight(a.count, [&](int64_t i) {
        gpu_eight x = gpu_load_eight(a.in, a.in_bf16, i, a.count, a.width);
#pragma unroll
        for (float &value : x.value) value = F::of(value);
        gpu_store_eight(a.out, a.out_bf16, i, a.count, a.width, x);
    });
}

// A rounded in_gradient is written, and so is one that is out_gradient.
template <typename F> __global__ void activation_backward(gw_activation_args a) {
    const bool replaces = a.in_gradient_bf16 || a.in_gradient == a.out_gradient;
    gpu_for_eight(a.count, [&](int64_t i) {
        const gpu_eight x = gpu_load_eight(a.in, a.in_bf16, i, a.count, a.width);
        const gpu_eight dy = gpu_load_eight(a.out_gradient, a.out_gradient_bf16, i, a.count, a.width);
        gpu_eight dx = replaces ? gpu_eight{} : gpu_load_eight(a.in_gradient, nullptr, i, a.count, a.width);
#pragma unroll
        for (int k = 0; k < 8; k++) dx.value[k] += dy.value[k] * F::derivative(x.value[k]);
        gpu_store_eight(a.in_gradient, a.in_gradient_bf16, i, a.count, a.width, dx);
    });
}

template <typename F> gw_status launch_forward(const gw_activation_args *args) {
    return gw_cuda_launch_elements("activation", activation_forward<F>, gw_cuda_divide(args->count, 8), *args);
}

template <typename F> gw_status launch_backward(const gw_activation_args *args) {
    return gw_cuda_launch_elements("activation_backward", activation_backward<F>, gw_cuda_divide(args->count, 8),
                                   *args);
}
} // namespace

GW_CUDA_OP(activation, gw_activation_args){GPU_WITH_ACTIVATION(args->kind, launch_forward, args)}

GW_CUDA_OP(activation_backward, gw_activation_args) {
    GPU_WITH_ACTIVATION(args->kind, launch_backward, args)
}
