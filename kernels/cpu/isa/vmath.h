// SPDX-License-Identifier: MIT
// exp and tanh of vectors.
//
// exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln 2 / 2; exp(r) by a polynomial of degree 7 (Cephes expf). The
// relative error is below 1.5e-7 if the result is a normal number. Below -87.68 the result is 0, above 88.37 infinite.
// NaN stays NaN.
#ifndef GW_KERNELS_CPU_ISA_VMATH_H
#define GW_KERNELS_CPU_ISA_VMATH_H

#include "kernels/cpu/isa/vector.h"

// exp for x <= 88.37.
GW_INLINE gw_f32v gw_exp_bounded(gw_f32v x) {
    const gw_f32v magic = gw_all(0x1.8p23f); // added and subtracted: rounds to an integer, in the low bits
    x = gw_max(gw_all(-88.0f), x);           // n = -127 here; its power of two is written as 0
    const gw_f32v shifted = gw_fma(x, gw_all(1.44269504088896341f), magic), n = shifted - magic;
    const gw_f32v r = gw_fma(n, gw_all(2.12194440e-4f), gw_fma(n, gw_all(-0.693359375f), x));
    gw_f32v p = gw_all(1.9875691500e-4f);
    p = gw_fma(p, r, gw_all(1.3981999507e-3f));
    p = gw_fma(p, r, gw_all(8.3334519073e-3f));
    p = gw_fma(p, r, gw_all(4.1665795894e-2f));
    p = gw_fma(p, r, gw_all(1.6666665459e-1f));
    p = gw_fma(p, r, gw_all(5.0000001201e-1f));
    p = gw_fma(p, r * r, r) + 1.0f;
    const gw_u32v power = ((gw_u32v)shifted + 127u) << 23;
    return p * (gw_f32v)power;
}

// 2^x for x <= 127: 2^n 2^r by a polynomial of degree 5 with the smallest maximal relative error (7.5e-8); with
// rounding the error is below 2e-7. n = round(x), |r| <= 1/2; avx512, which has instructions for it: n = floor(x), 0 <=
// r < 1. The result is 0 below -126 (avx512: below -150, with subnormal numbers above).
GW_INLINE gw_f32v gw_exp2_bounded(gw_f32v x) {
#if defined GW_ISA_avx512
    const gw_f32v r = (gw_f32v)_mm512_reduce_ps((__m512)x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    gw_f32v p = gw_all(1.8775771211e-3f);
    p = gw_fma(p, r, gw_all(8.9893405180e-3f));
    p = gw_fma(p, r, gw_all(5.5826316095e-2f));
    p = gw_fma(p, r, gw_all(2.4015361850e-1f));
    p = gw_fma(p, r, gw_all(6.9315307285e-1f));
    p = gw_fma(p, r, gw_all(9.9999992508e-1f));
    return (gw_f32v)_mm512_scalef_ps((__m512)p, (__m512)x);
#else
    const gw_f32v magic = gw_all(0x1.8p23f); // added and subtracted: rounds to an integer, in the low bits
    x = gw_max(gw_all(-127.0f), x);
    const gw_f32v shifted = x + magic, n = shifted - magic, r = x - n;
    gw_f32v p = gw_all(1.3276471874e-3f);
    p = gw_fma(p, r, gw_all(9.6755413335e-3f));
    p = gw_fma(p, r, gw_all(5.5507132739e-2f));
    p = gw_fma(p, r, gw_all(2.4022119724e-1f));
    p = gw_fma(p, r, gw_all(6.9314696706e-1f));
    p = gw_fma(p, r, gw_all(1.0000000717f));
    return p * (gw_f32v)(((gw_u32v)shifted + 127u) << 23);
#endif
}

static const float GW_LOG2_E = 1.4426950408889634f;

// The value that a softmax subtracts from its scores. If all scores so far are -infinity, any finite number keeps
// e^(-infinity - m) = 0.
GW_INLINE gw_f32v gw_finite_shift(gw_f32v m) {
    return gw_select(m == -INFINITY, gw_all(0.0f), m);
}

GW_INLINE gw_f32v gw_exp(gw_f32v x) {
    return gw_select(x > 88.37f, gw_all(INFINITY), gw_exp_bounded(x));
}

// Near 0 an odd polynomial (Cephes tanhf), elsewhere 1 - 2 / (exp(2 |x|) + 1); relative error below 2.5e-7.
GW_INLINE gw_f32v gw_tanh(gw_f32v x) {
    const gw_f32v size = gw_abs(x), square = x * x;
    gw_f32v p = gw_all(-5.70498872745e-3f);
    p = gw_fma(p, square, gw_all(2.06390887954e-2f));
    p = gw_fma(p, square, gw_all(-5.37397155531e-2f));
    p = gw_fma(p, square, gw_all(1.33314422036e-1f));
    p = gw_fma(p, square, gw_all(-3.33332819422e-1f));
    const gw_f32v near = gw_fma(p * square, x, x), far = 1.0f - 2.0f / (gw_exp(size + size) + 1.0f);
    const gw_i32v sign = (gw_i32v)x & (int32_t)0x80000000;
    return gw_select(size < 0.625f, near, (gw_f32v)((gw_i32v)far | sign));
}

#endif
