// SPDX-License-Identifier: MIT
// SiLU, x s(x) with s the logistic function, and its derivative s + x s (1 - s).
#include "base/parallel.h"
#include "kernels/cpu/isa/activation.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/unary.h"

GW_INLINE gw_f32v derivative(gw_f32v x) {
    const gw_f32v e = gw_silu_gate(x), s = 1.0f / (1.0f + e);
    return gw_fma(x * s, e * s, s); // e s is 1 - s without loss of digits
}

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    gw_map(context, begin, end, gw_silu);
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    gw_map_backward(context, begin, end, derivative);
}

gw_status GW_KERNEL(silu)(const gw_unary_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(silu_backward)(const gw_unary_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, backward, (void *)args);
    return GW_OK;
}
