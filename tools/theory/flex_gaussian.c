// SPDX-License-Identifier: MIT
// Philox and Box-Muller, as base/random.c has them. Each step that is a float there is rounded to one here, and what
// lies between is computed in doubles.
#include "tools/theory/flex_gaussian.h"

#include "base/random.h"

#include <stdbool.h>
#include <string.h>

enum { PLACE_GAUSSIAN = 18 };

#ifdef __x86_64__
#include <immintrin.h>

#define VECTOR __attribute__((target("avx512f,avx512dq,avx512vl")))
#define VECTOR_INLINE VECTOR __attribute__((always_inline)) static inline

typedef uint64_t words __attribute__((vector_size(64)));
typedef int64_t integers __attribute__((vector_size(64)));
typedef double reals __attribute__((vector_size(64)));
enum { LANES = 8, GROUP = 2 * LANES }; // a block of Philox makes two normal numbers

static bool has_vectors(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

// Words 0 .. 3 of blocks first .. first + 7; above 32 bits there is something left over.
VECTOR_INLINE void draw_words(const gw_random *random, uint64_t first, words word[4]) {
    const words zero = {0}, multiplier0 = zero + 0xD2511F53u, multiplier1 = zero + 0xCD9E8D57u;
    words c0 = (words){0, 1, 2, 3, 4, 5, 6, 7} + first, c1 = zero + random->counter[1], c2 = zero + random->counter[2],
          c3 = zero + random->counter[3];
    uint32_t k0 = random->key[0], k1 = random->key[1];
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        const words p0 = (words)_mm512_mul_epu32((__m512i)c0, (__m512i)multiplier0);
        const words p1 = (words)_mm512_mul_epu32((__m512i)c2, (__m512i)multiplier1);
        c0 = (p1 >> 32) ^ c1 ^ (uint64_t)k0;
        c2 = (p0 >> 32) ^ c3 ^ (uint64_t)k1;
        c1 = p1;
        c3 = p0;
    }
    word[0] = c0, word[1] = c1, word[2] = c2, word[3] = c3;
}

// The upper 24 bits of the words.
VECTOR_INLINE words upper_bits(words word) {
    return word << 32 >> 40;
}

VECTOR_INLINE reals real_of(integers v) {
    return (reals)_mm512_cvtepi64_pd((__m512i)v);
}

VECTOR_INLINE reals rounded(reals v) {
    return (reals)_mm512_cvtps_pd(_mm512_cvtpd_ps((__m512d)v));
}

// ln x for positive x: x = 2^e m with m in [sqrt(1/2), sqrt 2), ln m = 2 (s + s^3 / 3 + ... + s^13 / 13) with
// s = (m - 1) / (m + 1), |s| < 0.172: the rest is below 1e-12 of it.
VECTOR_INLINE reals logarithm(reals x) {
    const integers exponent = ((integers)x - 0x3fe6a09e667f3bcd) >> 52;
    const reals m = (reals)((integers)x - (exponent << 52)), s = (m - 1) / (m + 1), z = s * s;
    reals p = z * (1.0 / 13) + 1.0 / 11;
    p = p * z + 1.0 / 9;
    p = p * z + 1.0 / 7;
    p = p * z + 1.0 / 5;
    p = p * z + 1.0 / 3;
    return real_of(exponent) * 0x1.62e42fefa39efp-1 + 2 * (s + s * z * p);
}

// cos x for 0 <= x <= 2 pi: of y = x - k pi / 2 with k the nearest integer, by the series of cosine or sine; the
// remainder is exact, since pi / 2 is in two parts of which the first has 33 bits. The error is below 1e-11.
VECTOR_INLINE reals cosine(reals x) {
    const integers k = (integers)_mm512_cvtpd_epi64((__m512d)(x * 0x1.45f306dc9c883p-1));
    const reals quarter = real_of(k);
    const reals y = x - quarter * 0x1.921fb544p+0 - quarter * 0x1.0b4611a626331p-34, z = y * y;
    reals c = z * (1.0 / 479001600) - 1.0 / 3628800, s = z * (-1.0 / 39916800) + 1.0 / 362880;
    c = c * z + 1.0 / 40320;
    s = s * z - 1.0 / 5040;
    c = c * z - 1.0 / 720;
    s = s * z + 1.0 / 120;
    c = c * z + 1.0 / 24;
    s = s * z - 1.0 / 6;
    c = (c * z - 0.5) * z + 1;
    s = s * z * y + y;
    const integers odd = -(k & 1), sign = ((k + 1) & 2) << 62;
    return (reals)(((odd & (integers)s) | (~odd & (integers)c)) ^ sign);
}

// sqrt(-2 ln u) cos(2 pi v) with u in (0, 1] and v in [0, 1) from two words.
VECTOR_INLINE __m256 normals(words first, words second) {
    const reals u = real_of((integers)(upper_bits(first) + 1)) * 0x1p-24;
    const reals v = real_of((integers)upper_bits(second)) * 0x1p-24;
    const __m256 radius = _mm256_sqrt_ps(_mm512_cvtpd_ps((__m512d)(-2 * logarithm(u))));
    const reals angle = rounded(v * (double)6.28318530717958647692f);
    return _mm256_mul_ps(radius, _mm512_cvtpd_ps((__m512d)cosine(angle)));
}

VECTOR static void draw_group(const gw_random *random, uint64_t first, float out[GROUP]) {
    words word[4];
    draw_words(random, first, word);
    const __m256 even = normals(word[0], word[1]), odd = normals(word[2], word[3]);
    const __m256 low = _mm256_unpacklo_ps(even, odd), high = _mm256_unpackhi_ps(even, odd);
    _mm256_storeu_ps(out, _mm256_permute2f128_ps(low, high, 0x20));
    _mm256_storeu_ps(out + LANES, _mm256_permute2f128_ps(low, high, 0x31));
}

static void draw_vectors(const gw_random *random, float *out, int64_t count) {
    float last[GROUP];
    for (int64_t i = 0; i < count; i += GROUP) {
        const bool whole = count - i >= GROUP;
        draw_group(random, (uint64_t)i / 2, whole ? out + i : last);
        if (!whole) memcpy(out + i, last, (size_t)(count - i) * sizeof *out);
    }
}
#else
static bool has_vectors(void) {
    return false;
}
static void draw_vectors(const gw_random *random, float *out, int64_t count) {
    (void)random, (void)out, (void)count;
}
#endif

void gw_flex_gaussian(float *out, int64_t count, uint64_t seed, uint64_t draw) {
    gw_random random = gw_random_at(seed, GW_SITE_PROOF, draw, PLACE_GAUSSIAN);
    if (has_vectors()) draw_vectors(&random, out, count);
    else
        for (int64_t i = 0; i < count; i++) out[i] = gw_random_normal(&random);
}
