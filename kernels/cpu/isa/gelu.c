// SPDX-License-Identifier: MIT
// GELU in its tanh form and its derivative; the formulas stand in activation.h.
#include "base/parallel.h"
#include "kernels/cpu/isa/activation.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/unary.h"

GW_INLINE gw_f32v derivative(gw_f32v x) {
    const gw_f32v e = gw_gelu_gate(x), s = 1.0f / (1.0f + e);
    const gw_f32v rest = gw_select(x > 0.0f, e * s, 1.0f - s); // 1 - s without loss of digits
    const gw_f32v inner = GW_GELU_TWICE_ROOT * gw_fma(3.0f * GW_GELU_CUBIC * x, x, gw_all(1.0f));
    return gw_fma(x * s * rest, inner, s);
}

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    gw_map(context, begin, end, gw_gelu);
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    gw_map_backward(context, begin, end, derivative);
}

gw_status GW_KERNEL(gelu)(const gw_unary_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(gelu_backward)(const gw_unary_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, backward, (void *)args);
    return GW_OK;
}
