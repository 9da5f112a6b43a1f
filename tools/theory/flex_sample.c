// SPDX-License-Identifier: MIT
// Gaussian matrices, by Philox and Box-Muller as in base/random.c; random sparse matrices, and the conditions on the
// rows of their approximations.
#include "tools/theory/flex_sample.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE_GAUSSIAN = 18 };

#ifdef __x86_64__
#include <immintrin.h>

#define VECTOR __attribute__((target("avx512f")))
#define VECTOR_INLINE VECTOR __attribute__((always_inline)) static inline

typedef uint64_t words __attribute__((vector_size(64)));
typedef float reals __attribute__((vector_size(64)));
typedef int32_t integers __attribute__((vector_size(64)));
enum { LANES = 16 };

static bool has_vectors(void) {
    return __builtin_cpu_supports("avx512f") != 0;
}

VECTOR_INLINE words product(words a, words b) {
    return (words)_mm512_mul_epu32((__m512i)a, (__m512i)b);
}

// The upper halves of lanes below the lower ones: by a shuffle, since shifts wait for the unit that multiplies.
VECTOR_INLINE words upper(words v) {
    return (words)_mm512_shuffle_epi32((__m512i)v, _MM_PERM_DDBB);
}

// Words 0 .. 3 of blocks first .. first + 7, in the lower halves of lanes; the upper ones hold what is left over.
VECTOR_INLINE void draw_words(const gw_random *random, uint64_t first, words word[4]) {
    const words zero = {0}, multiplier0 = zero + 0xD2511F53u, multiplier1 = zero + 0xCD9E8D57u;
    words c0 = (words){0, 1, 2, 3, 4, 5, 6, 7} + first, c1 = zero + random->counter[1], c2 = zero + random->counter[2],
          c3 = zero + random->counter[3];
    words k0 = zero + random->key[0], k1 = zero + random->key[1];
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        const words p0 = product(c0, multiplier0), p1 = product(c2, multiplier1);
        c0 = upper(p1) ^ c1 ^ k0;
        c2 = upper(p0) ^ c3 ^ k1;
        c1 = p1;
        c3 = p0;
    }
    word[0] = c0, word[1] = c1, word[2] = c2, word[3] = c3;
}

// The upper 24 bits of the lower halves of a and b, in turn.
VECTOR_INLINE integers upper_bits(words a, words b) {
    const __m512i both = _mm512_mask_shuffle_epi32((__m512i)a, 0xaaaa, (__m512i)b, _MM_PERM_CCAA);
    return (integers)_mm512_srli_epi32(both, 8);
}

VECTOR_INLINE reals real_of(integers v) {
    return (reals)_mm512_cvtepi32_ps((__m512i)v);
}

VECTOR_INLINE reals fused(reals a, reals b, reals c) {
    return (reals)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}

VECTOR_INLINE reals all(float v) {
    return (reals)_mm512_set1_ps(v);
}

// ln(x / 2^24) for x >= 1: x = 2^e (1 + f) with sqrt(1/2) <= 1 + f < sqrt 2, ln(1 + f) by a polynomial (Cephes logf).
VECTOR_INLINE reals logarithm(reals x) {
    const integers exponent = ((integers)x - 0x3f3504f3) >> 23;
    const reals f = (reals)((integers)x - (exponent << 23)) - 1, z = f * f, e = real_of(exponent - 24);
    reals p = fused(f, all(7.0376836292e-2f), all(-1.1514610310e-1f));
    p = fused(p, f, all(1.1676998740e-1f));
    p = fused(p, f, all(-1.2420140846e-1f));
    p = fused(p, f, all(1.4249322787e-1f));
    p = fused(p, f, all(-1.6668057665e-1f));
    p = fused(p, f, all(2.0000714765e-1f));
    p = fused(p, f, all(-2.4999993993e-1f));
    p = fused(p, f, all(3.3333331174e-1f));
    p = fused(p * z, f, e * -2.12194440e-4f);
    return fused(e, all(0.693359375f), fused(z, all(-0.5f), p) + f);
}

// cos x for 0 <= x <= 2 pi: of y = x - k pi / 2 with k the nearest integer, by polynomials for cosine or sine (Cephes).
VECTOR_INLINE reals cosine(reals x) {
    const integers k = (integers)_mm512_cvtps_epi32((__m512)(x * 0.636619772f));
    const reals quarters = real_of(k);
    const reals y = fused(quarters, all(4.37113883e-8f), fused(quarters, all(-1.57079637f), x)), z = y * y;
    reals s = fused(z, all(-1.9515295891e-4f), all(8.3321608736e-3f));
    reals c = fused(z, all(2.443315711809948e-5f), all(-1.388731625493765e-3f));
    s = fused(s, z, all(-1.6666654611e-1f));
    c = fused(c, z, all(4.166664568298827e-2f));
    s = fused(s * z, y, y);
    c = fused(c * z, z, fused(z, all(-0.5f), all(1)));
    const integers odd = -(k & 1), sign = ((k + 1) & 2) << 30;
    return (reals)(((odd & (integers)s) | (~odd & (integers)c)) ^ sign);
}

// sqrt(-2 ln u) cos(2 pi v), two of each of the blocks first .. first + 7.
VECTOR_INLINE reals draw_group(const gw_random *random, uint64_t first) {
    words word[4];
    draw_words(random, first, word);
    const reals u = real_of(upper_bits(word[0], word[2]) + 1), v = real_of(upper_bits(word[1], word[3])) * 0x1p-24f;
    const reals radius = (reals)_mm512_sqrt_ps((__m512)(-2 * logarithm(u)));
    return radius * cosine(v * 6.28318530717958647692f);
}

VECTOR static void draw_vectors(const gw_random *random, float *out, int64_t count) {
    for (int64_t i = 0; i < count; i += LANES) {
        const reals group = draw_group(random, (uint64_t)i / 2);
        const int64_t left = count - i;
        memcpy(out + i, &group, left < LANES ? (size_t)left * sizeof *out : sizeof group);
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

// --- sparse matrices -----------------------------------------------------------------------------------------------

enum { PLACE_PERMUTATION = 16, PLACE_COIN = 17 };

bool gw_flex_has(const gw_flex_matrix *m, int64_t i, int32_t j) {
    for (int e = 0; e < m->count[i]; e++)
        if (m->column[i * m->setting.k + e] == j) return true;
    return false;
}

// Entry (i, j), unless it is there or row or column (in a causal A) are full.
static void place(gw_flex_matrix *m, int64_t i, int32_t j, int *in_column, gw_random *coin) {
    const int k = m->setting.k;
    if (m->setting.causal && j > i) {
        const int32_t keep = j;
        j = (int32_t)i, i = keep;
    }
    if (gw_flex_has(m, i, j) || m->count[i] == k || in_column[j] == k) return;
    const int64_t at = i * k + m->count[i]++;
    in_column[j]++;
    m->column[at] = j;
    m->a[at] = gw_random_uniform(coin) < 0.5f ? 1 : m->setting.gamma;
}

gw_status gw_flex_matrix_new(int64_t n, const gw_flex_setting *setting, uint64_t seed, gw_flex_matrix *m) {
    const int k = setting->k;
    *m = (gw_flex_matrix){.n = n, .setting = *setting};
    m->column = gw_alloc(n * k, sizeof *m->column);
    m->count = gw_alloc(n, sizeof *m->count);
    m->a = gw_alloc(n * k, sizeof *m->a);
    m->b = gw_alloc(n * k, sizeof *m->b);
    int32_t *permutation = gw_alloc(n, sizeof *permutation);
    int *in_column = gw_alloc(n, sizeof *in_column);
    const bool complete = m->column && m->count && m->a && m->b && permutation && in_column;
    gw_random coin = gw_random_at(seed, GW_SITE_PROOF, 0, PLACE_COIN);
    for (int p = 0; complete && p < k; p++) {
        gw_random random = gw_random_at(seed, GW_SITE_PROOF, (uint64_t)p, PLACE_PERMUTATION);
        for (int64_t i = 0; i < n; i++) permutation[i] = (int32_t)i;
        for (int64_t i = n - 1; i > 0; i--) {
            const int64_t j = (int64_t)gw_random_below(&random, (uint64_t)i + 1);
            const int32_t keep = permutation[i];
            permutation[i] = permutation[j], permutation[j] = keep;
        }
        for (int64_t i = 0; i < n; i++) place(m, i, permutation[i], in_column, &coin);
    }
    free(permutation);
    free(in_column);
    if (!complete) return GW_ERR_MEMORY;
    // Divides each row by its sum and sets B. A causal row may have got nothing: it reads itself.
    const gw_flex_setting *s = &m->setting;
    for (int64_t i = 0; i < m->n; i++) {
        double *a = m->a + i * s->k, sum = 0, least = INFINITY;
        if (m->count[i] == 0) {
            m->column[i * s->k] = (int32_t)i;
            a[m->count[i]++] = 1;
        }
        for (int e = 0; e < m->count[i]; e++) sum += a[e];
        for (int e = 0; e < m->count[i]; e++) least = fmin(least, a[e] /= sum);
        for (int e = 0; e < m->count[i]; e++) m->b[i * s->k + e] = log(a[e] / (s->epsilon1 * least)) + s->epsilon2;
    }
    return GW_OK;
}

void gw_flex_matrix_free(gw_flex_matrix *m) {
    free(m->column);
    free(m->count);
    free(m->a);
    free(m->b);
    *m = (gw_flex_matrix){0};
}

int64_t gw_flex_seen(const gw_flex_matrix *m, int64_t i) {
    return m->setting.causal ? i + 1 : m->n;
}

double gw_flex_row_slack(const gw_flex_matrix *m, int64_t i, const double *own, double *limit) {
    const gw_flex_setting *s = &m->setting;
    const double *a = m->a + i * s->k;
    double least = INFINITY, slack = INFINITY;
    for (int e = 0; e < m->count[i]; e++) {
        least = fmin(least, own[e]);
        for (int f = 0; f < e; f++) slack = fmin(slack, s->epsilon2 - fabs(own[e] - own[f] - log(a[e] / a[f])));
    }
    *limit = least + log(s->epsilon1);
    return slack;
}

bool gw_flex_row_holds(const gw_flex_matrix *m, int64_t i, const double *logits) {
    const int64_t seen = gw_flex_seen(m, i);
    double own[GW_FLEX_MOST_NONZEROS], limit;
    for (int e = 0; e < m->count[i]; e++) own[e] = logits[m->column[i * m->setting.k + e]];
    if (!(gw_flex_row_slack(m, i, own, &limit) > 0)) return false;
    for (int64_t j = 0; j < seen; j++)
        if (logits[j] >= limit && !gw_flex_has(m, i, (int32_t)j)) return false;
    return true;
}

static double bound_factor(const gw_flex_setting *s) {
    const double ratio = (log(s->gamma) - log(s->epsilon1)) / s->epsilon2 + 1;
    return 16.0 * s->k * s->k * ratio * ratio;
}

double gw_flex_bound(int64_t n, const gw_flex_setting *s) {
    return 2 * ceil(bound_factor(s) * (2 * log((double)n) + log((double)n - 1) + log(2)));
}

double gw_flex_bound_slope(int64_t n, const gw_flex_setting *s) {
    return 2 * bound_factor(s) * (2 + (double)n / ((double)n - 1));
}
