// SPDX-License-Identifier: MIT
// Activations and their derivatives over arrays. activation.h has the functions, with the formulas of GELU.
#include "kernels/cpu/isa/activation.h"
#include "base/parallel.h"
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/unary.h"

GW_INLINE gw_f32v of_same(gw_f32v x) {
    (void)x;
    return gw_all(1.0f);
}

GW_INLINE gw_f32v of_gelu(gw_f32v x) {
    const gw_f32v e = gw_gelu_gate(x), s = 1.0f / (1.0f + e);
    const gw_f32v rest = gw_select(x > 0.0f, e * s, 1.0f - s); // 1 - s without loss of digits
    const gw_f32v inner = GW_GELU_TWICE_ROOT * gw_fma(3.0f * GW_GELU_CUBIC * x, x, gw_all(1.0f));
    return gw_fma(x * s * rest, inner, s);
}

GW_INLINE gw_f32v of_gelu_exact(gw_f32v x) {
    const gw_normal n = gw_normal_at(x);
    return gw_fma(GW_NORMAL_DENSITY * x, n.bell, n.below);
}

GW_INLINE gw_f32v of_relu(gw_f32v x) {
    return gw_select(x > 0.0f, gw_all(1.0f), gw_all(0.0f));
}

GW_INLINE gw_f32v of_tanh(gw_f32v x) {
    const gw_f32v out = gw_tanh(x);
    return (1.0f - out) * (1.0f + out);
}

// s + x s (1 - s)
GW_INLINE gw_f32v of_silu(gw_f32v x) {
    const gw_f32v e = gw_silu_gate(x), s = 1.0f / (1.0f + e);
    return gw_fma(x * s, e * s, s); // e s is 1 - s without loss of digits
}

// s + 1.702 x s (1 - s), s of 1.702 x
GW_INLINE gw_f32v of_gelu_quick(gw_f32v x) {
    const gw_f32v e = gw_silu_gate(GW_QUICK * x), s = 1.0f / (1.0f + e);
    return gw_fma(GW_QUICK * x * s, e * s, s);
}

// s (1 - s)
GW_INLINE gw_f32v of_sigmoid(gw_f32v x) {
    const gw_f32v e = gw_silu_gate(x), s = 1.0f / (1.0f + e);
    return s * (e * s);
}

GW_INLINE gw_f32v of_elu_plus_one(gw_f32v x) {
    return gw_select(x > 0.0f, gw_all(1.0f), gw_exp_negative(x));
}

static void forward(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    const gw_activation_args *args = context;
    if (args->kind == GW_ACTIVATION_SIGMOID) gw_map(args, begin, end, gw_sigmoid);
    else if (args->kind == GW_ACTIVATION_ELU_PLUS_ONE) gw_map(args, begin, end, gw_elu_plus_one);
    else if (args->kind == GW_ACTIVATION_SOFTPLUS) gw_map(args, begin, end, gw_softplus);
    else GW_WITH_FUNCTION(args->kind, gw_map, args, begin, end);
}

static void backward(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    const gw_activation_args *args = context;
    switch (args->kind) {
    case GW_ACTIVATION_NONE: gw_map_backward(args, begin, end, of_same); break;
    case GW_ACTIVATION_GELU: gw_map_backward(args, begin, end, of_gelu); break;
    case GW_ACTIVATION_GELU_EXACT: gw_map_backward(args, begin, end, of_gelu_exact); break;
    case GW_ACTIVATION_GELU_QUICK: gw_map_backward(args, begin, end, of_gelu_quick); break;
    case GW_ACTIVATION_RELU: gw_map_backward(args, begin, end, of_relu); break;
    case GW_ACTIVATION_TANH: gw_map_backward(args, begin, end, of_tanh); break;
    case GW_ACTIVATION_SILU: gw_map_backward(args, begin, end, of_silu); break;
    case GW_ACTIVATION_SIGMOID: gw_map_backward(args, begin, end, of_sigmoid); break;
    case GW_ACTIVATION_ELU_PLUS_ONE: gw_map_backward(args, begin, end, of_elu_plus_one); break;
    case GW_ACTIVATION_SOFTPLUS: gw_map_backward(args, begin, end, gw_sigmoid); break;
    }
}

gw_status GW_KERNEL(activation)(const gw_activation_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(activation_backward)(const gw_activation_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, backward, (void *)args);
    return GW_OK;
}
