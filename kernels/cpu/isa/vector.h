// SPDX-License-Identifier: MIT
// Vectors of the instruction set's width, by the compilers' vector extensions: + - * / & | ^ < work on them.
//
// Only operations that the extensions lack (fused multiply-add, maximum, square root, 32 x 32 -> 64 bit products) are
// written for each instruction set. The baseline uses plain expressions, so that it compiles for any machine. The
// result of a lane depends only on this lane: the position of a value in a vector never changes its bits.
#ifndef GW_KERNELS_CPU_ISA_VECTOR_H
#define GW_KERNELS_CPU_ISA_VECTOR_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined __x86_64__
#include <immintrin.h>
#elif defined __aarch64__
#include <arm_neon.h>
#endif

#if defined GW_ISA_avx512
#define GW_LANES 16
#elif defined GW_ISA_avx2
#define GW_LANES 8
#else
#define GW_LANES 4
#endif

typedef float gw_f32v __attribute__((vector_size(4 * GW_LANES)));
typedef int32_t gw_i32v __attribute__((vector_size(4 * GW_LANES)));
typedef uint32_t gw_u32v __attribute__((vector_size(4 * GW_LANES)));
typedef uint64_t gw_u64v __attribute__((vector_size(4 * GW_LANES)));
typedef double gw_f64v __attribute__((vector_size(4 * GW_LANES)));
// The same in memory: aligned as its elements, for any declared type of the memory.
typedef float gw_f32v_memory __attribute__((vector_size(4 * GW_LANES), aligned(4), may_alias));

#define GW_INLINE static inline __attribute__((always_inline, unused))

GW_INLINE gw_f32v gw_load(const float *from) {
    return *(const gw_f32v_memory *)from;
}

GW_INLINE void gw_store(float *to, gw_f32v v) {
    *(gw_f32v_memory *)to = v;
}

// Loads and stores of fewer lanes at the end of an array: with a mask, or out of line, so that loops stay small.
#if defined GW_ISA_avx512
GW_INLINE __mmask16 gw_first_lanes(int64_t count) {
    return (__mmask16)((1U << count) - 1);
}

GW_INLINE gw_f32v gw_load_part(const float *from, int64_t count) {
    return (gw_f32v)_mm512_maskz_loadu_ps(gw_first_lanes(count), from);
}

GW_INLINE void gw_store_part(float *to, gw_f32v v, int64_t count) {
    _mm512_mask_storeu_ps(to, gw_first_lanes(count), (__m512)v);
}
#else
static __attribute__((noinline, unused)) gw_f32v gw_load_part(const float *from, int64_t count) {
    gw_f32v v = {0};
    memcpy(&v, from, (size_t)count * sizeof(float));
    return v;
}

static __attribute__((noinline, unused)) void gw_store_part(float *to, gw_f32v v, int64_t count) {
    memcpy(to, &v, (size_t)count * sizeof(float));
}
#endif

// The first `count` lanes, the others 0; count may exceed GW_LANES.
GW_INLINE gw_f32v gw_load_some(const float *from, int64_t count) {
    return __builtin_expect(count >= GW_LANES, 1) ? gw_load(from) : gw_load_part(from, count);
}

GW_INLINE void gw_store_some(float *to, gw_f32v v, int64_t count) {
    if (__builtin_expect(count >= GW_LANES, 1)) gw_store(to, v);
    else gw_store_part(to, v, count);
}

GW_INLINE gw_f32v gw_all(float value) {
    return value - (gw_f32v){0};
}

GW_INLINE gw_f32v gw_select(gw_i32v mask, gw_f32v yes, gw_f32v no) {
    return (gw_f32v)((mask & (gw_i32v)yes) | (~mask & (gw_i32v)no));
}

// `yes` in lanes with a set bit, `no` in the others.
GW_INLINE gw_f32v gw_where_set(uint64_t bits, gw_f32v yes, gw_f32v no) {
#if defined GW_ISA_avx512
    return (gw_f32v)_mm512_mask_mov_ps((__m512)no, (__mmask16)bits, (__m512)yes);
#else
    gw_i32v each;
    for (int lane = 0; lane < GW_LANES; lane++) each[lane] = 1 << lane;
    return gw_select((((gw_i32v){0} + (int32_t)(bits & 0xffff)) & each) != 0, yes, no);
#endif
}

// Whether a lane of the mask is set.
GW_INLINE bool gw_any(gw_i32v mask) {
    int32_t all = 0;
    for (int lane = 0; lane < GW_LANES; lane++) all |= mask[lane];
    return all != 0;
}

// Bit l is lane l of a mask with lanes of all ones or all zeros.
GW_INLINE uint64_t gw_bits(gw_i32v mask) {
#if defined GW_ISA_avx512
    return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask);
#elif defined GW_ISA_avx2
    return (uint64_t)(uint32_t)_mm256_movemask_ps((__m256)mask);
#elif defined __x86_64__
    return (uint64_t)(uint32_t)_mm_movemask_ps((__m128)mask);
#else
    uint64_t bits = 0;
    for (int lane = 0; lane < GW_LANES; lane++) bits |= (uint64_t)(mask[lane] & 1) << lane;
    return bits;
#endif
}

GW_INLINE gw_f32v gw_abs(gw_f32v v) {
    return (gw_f32v)((gw_i32v)v & 0x7fffffff);
}

// a * b + c, rounded once if the machine can.
GW_INLINE gw_f32v gw_fma(gw_f32v a, gw_f32v b, gw_f32v c) {
#if defined GW_ISA_avx512
    return (gw_f32v)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined GW_ISA_avx2
    return (gw_f32v)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined __aarch64__
    return (gw_f32v)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    return a * b + c;
#endif
}

// a > b ? a : b, so that a NaN in b is kept.
GW_INLINE gw_f32v gw_max(gw_f32v a, gw_f32v b) {
#if defined GW_ISA_avx512
    return (gw_f32v)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined GW_ISA_avx2
    return (gw_f32v)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined __x86_64__
    return (gw_f32v)_mm_max_ps((__m128)a, (__m128)b);
#else
    return gw_select(a > b, a, b);
#endif
}

GW_INLINE gw_f32v gw_sqrt(gw_f32v v) {
#if defined GW_ISA_avx512
    return (gw_f32v)_mm512_sqrt_ps((__m512)v);
#elif defined GW_ISA_avx2
    return (gw_f32v)_mm256_sqrt_ps((__m256)v);
#elif defined __x86_64__
    return (gw_f32v)_mm_sqrt_ps((__m128)v);
#else
    for (int lane = 0; lane < GW_LANES; lane++) v[lane] = sqrtf(v[lane]);
    return v;
#endif
}

// 64-bit products of the low 32 bits of each 64-bit lane.
GW_INLINE gw_u64v gw_multiply_low(gw_u64v a, gw_u64v b) {
#if defined GW_ISA_avx512
    return (gw_u64v)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined GW_ISA_avx2
    return (gw_u64v)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined __x86_64__
    return (gw_u64v)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return (a & 0xffffffffu) * (b & 0xffffffffu);
#endif
}

// The lanes of a and b interleaved, a0 b0 a1 b1 ...: first half and second half.
#if GW_LANES == 16
#define GW_FIRST_TURNS 0, 8, 1, 9, 2, 10, 3, 11
#define GW_SECOND_TURNS 4, 12, 5, 13, 6, 14, 7, 15
#elif GW_LANES == 8
#define GW_FIRST_TURNS 0, 4, 1, 5
#define GW_SECOND_TURNS 2, 6, 3, 7
#else
#define GW_FIRST_TURNS 0, 2
#define GW_SECOND_TURNS 1, 3
#endif
#ifdef __clang__
#define GW_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define GW_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (gw_u64v){__VA_ARGS__})
#endif

GW_INLINE void gw_interleave(gw_u64v a, gw_u64v b, gw_u64v out[2]) {
    out[0] = GW_SHUFFLE(a, b, GW_FIRST_TURNS);
    out[1] = GW_SHUFFLE(a, b, GW_SECOND_TURNS);
}

// The lanes of a and b interleaved, as 32-bit lanes.
#if GW_LANES == 16
#define GW_FIRST_LANES 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define GW_SECOND_LANES 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif GW_LANES == 8
#define GW_FIRST_LANES 0, 8, 1, 9, 2, 10, 3, 11
#define GW_SECOND_LANES 4, 12, 5, 13, 6, 14, 7, 15
#else
#define GW_FIRST_LANES 0, 4, 1, 5
#define GW_SECOND_LANES 2, 6, 3, 7
#endif
#ifdef __clang__
#define GW_SHUFFLE_LANES(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define GW_SHUFFLE_LANES(a, b, ...) __builtin_shuffle(a, b, (gw_i32v){__VA_ARGS__})
#endif

// Transposes the square: v[row][lane] becomes v[lane][row]. Each step interleaves the first half of the rows with the
// second, which moves one bit of the row number to the lane number.
GW_INLINE void gw_transpose(gw_f32v v[GW_LANES]) {
    for (int step = 1; step < GW_LANES; step *= 2) {
        gw_f32v turned[GW_LANES];
        for (int i = 0; i < GW_LANES / 2; i++) {
            turned[2 * i] = GW_SHUFFLE_LANES(v[i], v[i + GW_LANES / 2], GW_FIRST_LANES);
            turned[2 * i + 1] = GW_SHUFFLE_LANES(v[i], v[i + GW_LANES / 2], GW_SECOND_LANES);
        }
        for (int i = 0; i < GW_LANES; i++) v[i] = turned[i];
    }
}

// Sum and maximum over lanes, in a fixed order of halves.
GW_INLINE float gw_sum(gw_f32v v) {
    for (int half = GW_LANES / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++) v[lane] += v[lane + half];
    return v[0];
}

GW_INLINE float gw_largest(gw_f32v v) {
    float largest = v[0];
    for (int lane = 1; lane < GW_LANES; lane++) largest = v[lane] > largest ? v[lane] : largest;
    return largest;
}

#endif
