// SPDX-License-Identifier: MIT
// Ops on every value alone, from a function F and its derivative: four values a thread where they are aligned to that.
#ifndef GW_KERNELS_CUDA_UNARY_H
#define GW_KERNELS_CUDA_UNARY_H

#include "kernels/cuda/four.h"
#include "kernels/cuda/frame.h"

template <typename F> __global__ void gw_unary_forward(gw_unary_args a) {
    gpu_for_four(a.count, [&](int64_t i) {
        gpu_four x = gpu_load_four(a.in, i, a.count);
        for (float &value : x.value) value = F::of(value);
        gpu_store_four(a.out, i, a.count, x);
    });
}

// Where in_gradient is out_gradient, the product replaces it.
template <typename F> __global__ void gw_unary_backward(gw_unary_args a) {
    const bool replaces = a.in_gradient == a.out_gradient;
    gpu_for_four(a.count, [&](int64_t i) {
        const gpu_four x = gpu_load_four(a.in, i, a.count), dy = gpu_load_four(a.out_gradient, i, a.count);
        gpu_four dx = replaces ? gpu_four{} : gpu_load_four(a.in_gradient, i, a.count);
        for (int k = 0; k < 4; k++) dx.value[k] += dy.value[k] * F::derivative(x.value[k]);
        gpu_store_four(a.in_gradient, i, a.count, dx);
    });
}

#define GW_CUDA_UNARY(op, F)                                                                                           \
    GW_CUDA_OP(op, gw_unary_args) {                                                                                    \
        return gw_cuda_launch_elements(#op, gw_unary_forward<F>, gw_cuda_divide(args->count, 4), *args);               \
    }                                                                                                                  \
    GW_CUDA_OP(op##_backward, gw_unary_args) {                                                                         \
        return gw_cuda_launch_elements(#op "_backward", gw_unary_backward<F>, gw_cuda_divide(args->count, 4), *args);  \
    }

#endif
