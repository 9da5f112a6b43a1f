// SPDX-License-Identifier: MIT
// out = max(in, 0);   in_gradient += out_gradient where in > 0
#include "base/parallel.h"
#include "kernels/cpu/isa/activation.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/unary.h"

GW_INLINE gw_f32v derivative(gw_f32v x) {
    return gw_select(x > 0.0f, gw_all(1.0f), gw_all(0.0f));
}

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    gw_map(context, begin, end, gw_relu);
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    gw_map_backward(context, begin, end, derivative);
}

gw_status GW_KERNEL(relu)(const gw_unary_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(relu_backward)(const gw_unary_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, backward, (void *)args);
    return GW_OK;
}
