// SPDX-License-Identifier: MIT
// out = tanh(in);   in_gradient += out_gradient (1 - out^2)
#include "base/parallel.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/vmath.h"

enum { GRAIN = 8192 };

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_unary_args *args = context;
    (void)thread;
    for (int64_t i = begin; i < end; i += GW_LANES)
        gw_store_some(args->out + i, gw_tanh(gw_load_some(args->in + i, end - i)), end - i);
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_unary_args *args = context;
    (void)thread;
    for (int64_t i = begin; i < end; i += GW_LANES) {
        const gw_f32v out = gw_load_some(args->out + i, end - i);
        gw_f32v gradient = (1.0f - out) * (1.0f + out) * gw_load_some(args->out_gradient + i, end - i);
        if (args->in_gradient != args->out_gradient) gradient += gw_load_some(args->in_gradient + i, end - i);
        gw_store_some(args->in_gradient + i, gradient, end - i);
    }
}

gw_status GW_KERNEL(tanh)(const gw_unary_args *args) {
    gw_parallel_for(args->count, GRAIN, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(tanh_backward)(const gw_unary_args *args) {
    gw_parallel_for(args->count, GRAIN, backward, (void *)args);
    return GW_OK;
}
