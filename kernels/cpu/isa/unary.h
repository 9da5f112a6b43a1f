// SPDX-License-Identifier: MIT
// Functions of one value over arrays, given a function and its derivative for vectors.
#ifndef GW_KERNELS_CPU_ISA_UNARY_H
#define GW_KERNELS_CPU_ISA_UNARY_H

#include "kernels/cpu/isa/vector.h"
#include "kernels/kernel.h"

enum { GW_UNARY_GRAIN = 8192 };

// out = f(in) for values [begin, end)
GW_INLINE void gw_map(const gw_activation_args *args, int64_t begin, int64_t end, gw_f32v (*f)(gw_f32v)) {
    for (int64_t i = begin; i < end; i += GW_LANES)
        gw_store_some(args->out + i, f(gw_load_some(args->in + i, end - i)), end - i);
}

// in_gradient += out_gradient derivative(in), or only the product if the two gradients are the same memory
GW_INLINE void gw_map_backward(const gw_activation_args *args, int64_t begin, int64_t end,
                               gw_f32v (*derivative)(gw_f32v)) {
    for (int64_t i = begin; i < end; i += GW_LANES) {
        gw_f32v gradient =
            derivative(gw_load_some(args->in + i, end - i)) * gw_load_some(args->out_gradient + i, end - i);
        if (args->in_gradient != args->out_gradient) gradient += gw_load_some(args->in_gradient + i, end - i);
        gw_store_some(args->in_gradient + i, gradient, end - i);
    }
}

#endif
