// SPDX-License-Identifier: MIT
// out = tanh(in);   in_gradient += out_gradient (1 - tanh(in)^2)
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/unary.h"
#include "kernels/cpu/isa/vmath.h"

GW_INLINE gw_f32v derivative(gw_f32v in) {
    const gw_f32v out = gw_tanh(in);
    return (1.0f - out) * (1.0f + out);
}

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    gw_map(context, begin, end, gw_tanh);
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    gw_map_backward(context, begin, end, derivative);
}

gw_status GW_KERNEL(tanh)(const gw_unary_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(tanh_backward)(const gw_unary_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, backward, (void *)args);
    return GW_OK;
}
