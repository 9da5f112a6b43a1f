// SPDX-License-Identifier: MIT
// What the machine can do, measured on all threads of gw_parallel_for: multiply-adds that stay in registers (GFLOP/s)
// and a copy of memory (GB/s, read and written). For programs of tests/bench, one source each.
#ifndef GW_TESTS_BENCH_PEAK_H
#define GW_TESTS_BENCH_PEAK_H

#include "base/memory.h"
#include "base/parallel.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

static inline double bench_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

enum { PEAK_CHAINS = 12, PEAK_STEPS = 100000, PEAK_REPEATS = 50 };

// Independent chains of multiply-adds, more than latency times width; the sums are kept so that no compiler drops them.
#define PEAK_LOOP(name, target, vector, set, fma, lanes)                                                               \
    enum { name##_lanes = lanes };                                                                                     \
    target static void name(void *context, int64_t begin, int64_t end, int thread) {                                   \
        volatile float *out = context;                                                                                 \
        vector sum[PEAK_CHAINS];                                                                                       \
        const vector factor = set(0.999f);                                                                             \
        _Pragma("GCC unroll 16") for (int c = 0; c < PEAK_CHAINS; c++) sum[c] = set(0.1f * (float)c);                  \
        for (int64_t i = 0; i < (end - begin) * PEAK_STEPS; i++)                                                       \
            _Pragma("GCC unroll 16") for (int c = 0; c < PEAK_CHAINS; c++) sum[c] = fma(sum[c], factor, factor);       \
        _Pragma("GCC unroll 16") for (int c = 0; c < PEAK_CHAINS; c++) out[thread] = *(const float *)&sum[c];          \
    }

static inline float peak_set(float value) {
    return value;
}
static inline float peak_fma(float a, float b, float c) {
    return a * b + c;
}
PEAK_LOOP(peak_scalar, , float, peak_set, peak_fma, 1)
#ifdef __x86_64__
PEAK_LOOP(peak_avx2, __attribute__((target("avx2,fma"))), __m256, _mm256_set1_ps, _mm256_fmadd_ps, 8)
PEAK_LOOP(peak_avx512, __attribute__((target("avx512f"))), __m512, _mm512_set1_ps, _mm512_fmadd_ps, 16)
#endif

static inline double peak_gflops(void) {
    gw_parallel_body body = peak_scalar;
    int lanes = peak_scalar_lanes;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) body = peak_avx2, lanes = peak_avx2_lanes;
    if (__builtin_cpu_supports("avx512f")) body = peak_avx512, lanes = peak_avx512_lanes;
#endif
    float *out = gw_alloc(gw_threads(), sizeof *out);
    if (!out) exit(1);
    const int64_t items = 8 * gw_threads();
    double best = INFINITY;
    for (int i = 0; i < PEAK_REPEATS; i++) {
        const double start = bench_now();
        gw_parallel_for(items, 1, body, out);
        best = fmin(best, bench_now() - start);
    }
    free(out);
    return 2.0 * (double)items * PEAK_STEPS * PEAK_CHAINS * lanes / best * 1e-9;
}

enum { PEAK_BYTES = 1 << 26, PEAK_PIECE = 1 << 18 };

static inline void peak_copy(void *context, int64_t begin, int64_t end, int thread) {
    char *memory = context;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        memcpy(memory + i * PEAK_PIECE, memory + PEAK_BYTES + i * PEAK_PIECE, PEAK_PIECE);
}

static inline double peak_gigabytes(void) {
    char *memory = gw_alloc(2, PEAK_BYTES);
    if (!memory) exit(1);
    memset(memory, 1, 2 * (size_t)PEAK_BYTES);
    double best = INFINITY;
    for (int i = 0; i < PEAK_REPEATS; i++) {
        const double start = bench_now();
        gw_parallel_for(PEAK_BYTES / PEAK_PIECE, 1, peak_copy, memory);
        best = fmin(best, bench_now() - start);
    }
    free(memory);
    return 2.0 * PEAK_BYTES / best * 1e-9;
}

#endif
