// SPDX-License-Identifier: MIT
// GELU in its exact form, F the normal distribution and f its density:
//   gelu(x) = x F(x);   gelu'(x) = F(x) + x f(x);   F(x) = 1 - erfc(x / sqrt 2) / 2
//
// With u = |x| / sqrt 2 and t = 1 / (1 + 0.4 u), erfc(u) = e^(-u^2) t P(t), where P is the polynomial of degree 9 whose
// largest relative error over u >= 0 is least: 8e-9, and 5e-8 with the coefficients in single precision.
#include "base/parallel.h"
#include "kernels/cpu/isa.h"
#include "kernels/cpu/unary.h"
#include "kernels/cpu/vmath.h"

static const float SCALED_ROOT_HALF = 0.28284271247461901f; // 0.4 / sqrt 2
static const float DENSITY = 0.39894228040143268f;          // 1 / sqrt(2 pi)

typedef struct {
    gw_f32v below, bell; // F(x), e^(-x^2 / 2)
} normal;

GW_INLINE normal normal_at(gw_f32v x) {
    const gw_f32v t = 1.0f / gw_fma(gw_abs(x), gw_all(SCALED_ROOT_HALF), gw_all(1.0f));
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
    return (normal){gw_select(x > 0.0f, 1.0f - outside, outside), bell};
}

GW_INLINE gw_f32v value(gw_f32v x) {
    return x * normal_at(x).below;
}

GW_INLINE gw_f32v slope(gw_f32v x) {
    const normal n = normal_at(x);
    return gw_fma(DENSITY * x, n.bell, n.below);
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

gw_status GW_KERNEL(gelu_exact)(const gw_unary_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, forward, (void *)args);
    return GW_OK;
}

gw_status GW_KERNEL(gelu_exact_backward)(const gw_unary_args *args) {
    gw_parallel_for(args->count, GW_UNARY_GRAIN, backward, (void *)args);
    return GW_OK;
}
