// SPDX-License-Identifier: MIT
// Activations on every value alone, from a function and its derivative: four values a thread where they are aligned to
// that.
#include "kernels/cuda/activation_functions.h"
#include "kernels/cuda/four.h"
#include "kernels/cuda/frame.h"

namespace {
template <typename F> __global__ void activation_forward(gw_activation_args a) {
    gpu_for_four(a.count, [&](int64_t i) {
        gpu_four x = gpu_load_four(a.in, i, a.count);
        for (float &value : x.value) value = F::of(value);
        gpu_store_four(a.out, i, a.count, x);
    });
}

// Where in_gradient is out_gradient, the product replaces it.
template <typename F> __global__ void activation_backward(gw_activation_args a) {
    const bool replaces = a.in_gradient == a.out_gradient;
    gpu_for_four(a.count, [&](int64_t i) {
        const gpu_four x = gpu_load_four(a.in, i, a.count), dy = gpu_load_four(a.out_gradient, i, a.count);
        gpu_four dx = replaces ? gpu_four{} : gpu_load_four(a.in_gradient, i, a.count);
        for (int k = 0; k < 4; k++) dx.value[k] += dy.value[k] * F::derivative(x.value[k]);
        gpu_store_four(a.in_gradient, i, a.count, dx);
    });
}

template <typename F> gw_status launch_forward(const gw_activation_args *args) {
    return gw_cuda_launch_elements("activation", activation_forward<F>, gw_cuda_divide(args->count, 4), *args);
}

template <typename F> gw_status launch_backward(const gw_activation_args *args) {
    return gw_cuda_launch_elements("activation_backward", activation_backward<F>, gw_cuda_divide(args->count, 4),
                                   *args);
}
} // namespace

GW_CUDA_OP(activation, gw_activation_args){GPU_WITH_ACTIVATION(args->kind, launch_forward, args)}

GW_CUDA_OP(activation_backward, gw_activation_args) {
    GPU_WITH_ACTIVATION(args->kind, launch_backward, args)
}
