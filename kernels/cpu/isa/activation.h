// SPDX-License-Identifier: MIT
// Activations of one vector, for the ops of activations and for use within products.
#ifndef GW_KERNELS_CPU_ISA_ACTIVATION_H
#define GW_KERNELS_CPU_ISA_ACTIVATION_H

#include "kernels/cpu/isa/vmath.h"
#include "kernels/kernel.h"

// GELU in its tanh form, u = sqrt(2/pi) (x + 0.044715 x^3):
//   gelu(x) = x/2 (1 + tanh u) = x s(2u);   gelu'(x) = s(2u) + x s(2u) (1 - s(2u)) 2 u',   s the logistic function.
static const float GW_GELU_TWICE_ROOT = 1.5957691216057308f; // 2 sqrt(2/pi)
static const float GW_GELU_CUBIC = 0.044715f;
static const float GW_GELU_LOG2_ONE = 2.3022081981443250f;   // 2 sqrt(2/pi) / ln 2, the scale of 2u as a power of two
static const float GW_GELU_LOG2_CUBIC = 0.1029432395800235f; // the same times 0.044715

// e^(-2u) of x, so that s(2u) = 1 / (1 + e); at most 2^125, where x s(2u) is practically 0.
GW_INLINE gw_f32v gw_gelu_gate(gw_f32v x) {
    const gw_f32v u = x * gw_fma(gw_all(GW_GELU_LOG2_CUBIC), x * x, gw_all(GW_GELU_LOG2_ONE));
    return gw_exp2_bounded(-gw_max(gw_all(-125.0f), u));
}

GW_INLINE gw_f32v gw_gelu(gw_f32v x) {
    return x / (1.0f + gw_gelu_gate(x));
}

// GELU in its exact form. F is the normal distribution and f its density:
//   gelu(x) = x F(x);   gelu'(x) = F(x) + x f(x);   F(x) = 1 - erfc(x / sqrt 2) / 2
//
// With u = |x| / sqrt 2 and t = 1 / (1 + 0.4 u), erfc(u) = e^(-u^2) t P(t). P is the polynomial of degree 9 with the
// smallest maximal relative error over u >= 0: 8e-9, and 5e-8 with coefficients in single precision.
static const float GW_SCALED_ROOT_HALF = 0.28284271247461901f; // 0.4 / sqrt 2
static const float GW_NORMAL_DENSITY = 0.39894228040143268f;   // 1 / sqrt(2 pi)

typedef struct {
    gw_f32v below, bell; // F(x), e^(-x^2 / 2)
} gw_normal;

GW_INLINE gw_normal gw_normal_at(gw_f32v x) {
    const gw_f32v t = 1.0f / gw_fma(gw_abs(x), gw_all(GW_SCALED_ROOT_HALF), gw_all(1.0f));
    const gw_f32v bell = gw_exp_bounded(-0.5f * x * x);
    gw_f32v p = gw_all(-0x1.e4d7a6p-6f);
    p = gw_fma(p, t, gw_all(0x1.9583p-3f));
    p = gw_fma(p, t, gw_all(-0x1.fec328p-2f));
    p = gw_fma(p, t, gw_all(0x1.184646p-1f));
    p = gw_fma(p, t, gw_all(-0x1.232c46p-2f));
    p = gw_fma(p, t, gw_all(0x1.169642p-2f));
    p = gw_fma(p, t, gw_all(0x1.0996dap-3f));
    p = gw_fma(p, t, gw_all(0x1.b8273ep-3f));
    p = gw_fma(p, t, gw_all(0x1.ccb3acp-3f));
    p = gw_fma(p, t, gw_all(0x1.ce3f6cp-3f));
    const gw_f32v outside = 0.5f * t * p * bell; // F(-|x|)
    return (gw_normal){gw_select(x > 0.0f, 1.0f - outside, outside), bell};
}

GW_INLINE gw_f32v gw_gelu_exact(gw_f32v x) {
    return x * gw_normal_at(x).below;
}

GW_INLINE gw_f32v gw_relu(gw_f32v x) {
    return gw_max(gw_all(0.0f), x);
}

// e^(-x), so that the logistic function is 1 / (1 + e); at most 2^125, where x s(x) is practically 0.
GW_INLINE gw_f32v gw_silu_gate(gw_f32v x) {
    return gw_exp2_bounded(-gw_max(gw_all(-125.0f), x * GW_LOG2_E));
}

GW_INLINE gw_f32v gw_silu(gw_f32v x) {
    return x / (1.0f + gw_silu_gate(x));
}

GW_INLINE gw_f32v gw_sigmoid(gw_f32v x) {
    return 1.0f / (1.0f + gw_silu_gate(x));
}

static const float GW_QUICK = 1.702f; // x s(1.702 x) is near the exact GELU

GW_INLINE gw_f32v gw_gelu_quick(gw_f32v x) {
    return x / (1.0f + gw_silu_gate(GW_QUICK * x));
}

// e^x; 1 for positive numbers.
GW_INLINE gw_f32v gw_exp_negative(gw_f32v x) {
    return gw_exp_bounded(-gw_max(gw_all(0.0f), -x));
}

GW_INLINE gw_f32v gw_elu_plus_one(gw_f32v x) {
    return gw_select(x > 0.0f, x + 1.0f, gw_exp_negative(x));
}

// max(x, 0) + ln(1 + t), t = e^-|x|. With s = t / (2 + t), which is at most 1/3, ln(1 + t) = 2 (s + s^3 / 3 + s^5 / 5 +
// ...). Terms from s^17 on are below single precision.
GW_INLINE gw_f32v gw_softplus(gw_f32v x) {
    const gw_f32v t = gw_exp_bounded(-gw_abs(x)), s = t / (2.0f + t), square = s * s;
    gw_f32v p = gw_all(1.0f / 15);
    p = gw_fma(p, square, gw_all(1.0f / 13));
    p = gw_fma(p, square, gw_all(1.0f / 11));
    p = gw_fma(p, square, gw_all(1.0f / 9));
    p = gw_fma(p, square, gw_all(1.0f / 7));
    p = gw_fma(p, square, gw_all(1.0f / 5));
    p = gw_fma(p, square, gw_all(1.0f / 3));
    return gw_max(gw_all(0.0f), x) + 2.0f * gw_fma(p * square, s, s);
}

GW_INLINE gw_f32v gw_same(gw_f32v x) {
    return x;
}

// action(..., f) with the function f of an activation; does nothing for activations that products do not apply.
#define GW_WITH_FUNCTION(activation, action, ...)                                                                      \
    do switch (activation) {                                                                                           \
        case GW_ACTIVATION_NONE: action(__VA_ARGS__, gw_same); break;                                                  \
        case GW_ACTIVATION_GELU: action(__VA_ARGS__, gw_gelu); break;                                                  \
        case GW_ACTIVATION_GELU_EXACT: action(__VA_ARGS__, gw_gelu_exact); break;                                      \
        case GW_ACTIVATION_GELU_QUICK: action(__VA_ARGS__, gw_gelu_quick); break;                                      \
        case GW_ACTIVATION_RELU: action(__VA_ARGS__, gw_relu); break;                                                  \
        case GW_ACTIVATION_TANH: action(__VA_ARGS__, gw_tanh); break;                                                  \
        case GW_ACTIVATION_SILU: action(__VA_ARGS__, gw_silu); break;                                                  \
        case GW_ACTIVATION_SIGMOID:                                                                                    \
        case GW_ACTIVATION_ELU_PLUS_ONE:                                                                               \
        case GW_ACTIVATION_SOFTPLUS: break;                                                                            \
        }                                                                                                              \
    while (0)

#endif
