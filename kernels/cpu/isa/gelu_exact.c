// SPDX-License-Identifier: MIT
// GELU in its exact form and its derivative; the formulas stand in activation.h.
#include "base/parallel.h"
#include "kernels/cpu/isa/activation.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/unary.h"

GW_INLINE gw_f32v derivative(gw_f32v x) {
    const gw_normal n = gw_normal_at(x);
    return gw_fma(GW_NORMAL_DENSITY * x, n.bell, n.below);
}

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    gw_map(context, begin, end, gw_gelu_exact);
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    gw_map_backward(context, begin, end, derivative);
}

gw_status GW_KERNEL(gelu_exact)(const gw_unary_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(gelu_exact_backward)(const gw_unary_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, backward, (void *)args);
    return GW_OK;
}
