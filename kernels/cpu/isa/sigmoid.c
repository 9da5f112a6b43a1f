// SPDX-License-Identifier: MIT
// The logistic function s(x) = 1 / (1 + e^-x), and its derivative s (1 - s).
#include "base/parallel.h"
#include "kernels/cpu/isa/activation.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/unary.h"

GW_INLINE gw_f32v sigmoid(gw_f32v x) {
    return 1.0f / (1.0f + gw_silu_gate(x));
}

GW_INLINE gw_f32v derivative(gw_f32v x) {
    const gw_f32v e = gw_silu_gate(x), s = 1.0f / (1.0f + e);
    return s * (e * s); // e s is 1 - s without loss of digits
}

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    gw_map(context, begin, end, sigmoid);
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    gw_map_backward(context, begin, end, derivative);
}

gw_status GW_KERNEL(sigmoid)(const gw_unary_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(sigmoid_backward)(const gw_unary_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, backward, (void *)args);
    return GW_OK;
}
