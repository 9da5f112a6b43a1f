// SPDX-License-Identifier: MIT
// GELU in its tanh form, u = sqrt(2/pi) (x + 0.044715 x^3):
//   gelu(x) = x/2 (1 + tanh u) = x s(2u);   gelu'(x) = s(2u) + x s(2u) (1 - s(2u)) 2 u',   s the logistic function.
#include "base/parallel.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/unary.h"
#include "kernels/cpu/vmath.h"

static const float TWICE_ROOT = 1.5957691216057308f; // 2 sqrt(2/pi)
static const float CUBIC = 0.044715f;

// e^(-2u) of x, so that s(2u) = 1 / (1 + e)
GW_INLINE gw_f32v gate_exp(gw_f32v x) {
    return gw_exp(-TWICE_ROOT * gw_fma(CUBIC * x * x, x, x));
}

GW_INLINE gw_f32v value(gw_f32v x) {
    return x / (1.0f + gate_exp(x));
}

GW_INLINE gw_f32v slope(gw_f32v x) {
    const gw_f32v e = gate_exp(x), s = 1.0f / (1.0f + e);
    const gw_f32v rest = gw_select(x > 0.0f, e * s, 1.0f - s); // 1 - s without loss of digits
    const gw_f32v inner = TWICE_ROOT * gw_fma(3.0f * CUBIC * x, x, gw_all(1.0f));
    return gw_fma(x * s * rest, inner, s);
}

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    gw_map(context, begin, end, value);
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    const gw_unary_args *args = context;
    (void)thread;
    gw_map_slope(args, args->in, begin, end, slope);
}

gw_status GW_KERNEL(gelu)(const gw_unary_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(gelu_backward)(const gw_unary_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, backward, (void *)args);
    return GW_OK;
}
