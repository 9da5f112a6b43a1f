// SPDX-License-Identifier: MIT
// Runs loops that stay in registers and copies of memory on all threads.
#include "run/bench_peak.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/backend.h"
#include "kernels/cpu/amx.h"
#include "run/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#elif defined __aarch64__
#include <arm_neon.h>
#endif

enum { CHAINS = 12, STEPS = 100000, REPEATS = 50, ITEMS = 8 }; // ITEMS a thread

// Independent chains of multiply-adds, more than latency times width; the sums are kept so that no compiler drops them.
#define PEAK_LOOP(name, target, vector, set, fma, flops)                                                               \
    enum { name##_flops = flops };                                                                                     \
    target static void name(void *context, int64_t begin, int64_t end, int thread) {                                   \
        volatile float *out = context;                                                                                 \
        vector sum[CHAINS];                                                                                            \
        const vector factor = set(0.999f);                                                                             \
        _Pragma("GCC unroll 16") for (int c = 0; c < CHAINS; c++) sum[c] = set(0.1f * (float)c);                       \
        for (int64_t i = 0; i < (end - begin) * STEPS; i++)                                                            \
            _Pragma("GCC unroll 16") for (int c = 0; c < CHAINS; c++) sum[c] = fma(sum[c], factor, factor);            \
        _Pragma("GCC unroll 16") for (int c = 0; c < CHAINS; c++) out[thread] = *(const float *)&sum[c];               \
    }

#ifdef __x86_64__
#define SSE_FMA(a, b, c) _mm_add_ps(_mm_mul_ps(a, b), c)
PEAK_LOOP(peak_baseline, , __m128, _mm_set1_ps, SSE_FMA, 8)
PEAK_LOOP(peak_avx2, __attribute__((target("avx2,fma"))), __m256, _mm256_set1_ps, _mm256_fmadd_ps, 16)
PEAK_LOOP(peak_avx512, __attribute__((target("avx512f"))), __m512, _mm512_set1_ps, _mm512_fmadd_ps, 32)
#define BF16_FMA(a, b, c) _mm512_dpbf16_ps(a, (__m512bh)(b), (__m512bh)(c)) // pairs of bf16 numbers
PEAK_LOOP(peak_bf16, __attribute__((target("avx512f,avx512bf16"))), __m512, _mm512_set1_ps, BF16_FMA, 64)

#ifdef GW_HAVE_AMX
// Products of tiles, four sums at a time: 16 x 16 sums of 32 products each. So that it takes no longer than the other
// loops, it has one where they have TILE_SHARE steps.
enum { TILE_SUMS = 4, TILE_SHARE = 32, peak_amx_flops = 2 * GW_AMX_SIDE * GW_AMX_SIDE * 2 * GW_AMX_SIDE / TILE_SHARE };
#define AMX_TARGET __attribute__((target("amx-tile,amx-bf16")))
AMX_TARGET static void peak_amx(void *context, int64_t begin, int64_t end, int thread) {
    uint16_t numbers[2 * GW_AMX_SIDE * GW_AMX_SIDE];
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) numbers[i] = 0x3c24; // 0.01
    (void)context, (void)thread;
    _tile_loadconfig(&gw_amx_full);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    __asm__ volatile("" : : "r"(numbers) : "memory");
    _tile_loadd(4, numbers, 4 * GW_AMX_SIDE);
    _tile_loadd(5, numbers, 4 * GW_AMX_SIDE);
    for (int64_t i = 0; i < (end - begin) * (STEPS / TILE_SHARE * CHAINS / TILE_SUMS); i++) {
        _tile_dpbf16ps(0, 4, 5);
        _tile_dpbf16ps(1, 4, 5);
        _tile_dpbf16ps(2, 4, 5);
        _tile_dpbf16ps(3, 4, 5);
    }
    _tile_release();
}
#endif
#elif defined __aarch64__
PEAK_LOOP(peak_baseline, , float32x4_t, vdupq_n_f32, vfmaq_f32, 8)
#else
#define SCALAR_SET(value) (value)
#define SCALAR_FMA(a, b, c) ((a) * (b) + (c))
PEAK_LOOP(peak_baseline, , float, SCALAR_SET, SCALAR_FMA, 2)
#endif

// The registers that the kernels in use work in.
static gw_parallel_body choose(gw_precision precision, int *flops) {
#ifdef __x86_64__
#ifdef GW_HAVE_AMX
    if (precision == GW_BF16 && strcmp(gw_kernels()->name, "amx") == 0) return *flops = peak_amx_flops, peak_amx;
#endif
    if (precision == GW_BF16 && gw_has_bf16()) return *flops = peak_bf16_flops, peak_bf16;
    if (strcmp(gw_kernels()->name, "avx2") == 0) return *flops = peak_avx2_flops, peak_avx2;
    if (strcmp(gw_kernels()->name, "baseline") != 0) return *flops = peak_avx512_flops, peak_avx512;
#endif
    (void)precision;
    return *flops = peak_baseline_flops, peak_baseline;
}

static double least_time(int64_t items, gw_parallel_body body, void *context) {
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        const double start = gw_seconds_now();
        gw_parallel_for(items, 1, body, context);
        best = fmin(best, gw_seconds_now() - start);
    }
    return best;
}

// --- devices

// Products of squares too large for caches, and ReLU of more numbers than these hold.

enum { SIDE = 8192, NUMBERS = 1 << 26, RUNS = 10 };
static const int64_t SQUARE = (int64_t)SIDE * SIDE;

static gw_status time_run(gw_status (*run)(void *), void *context, double *seconds) {
    return gw_bench_time(&(gw_bench){.repeats = RUNS}, run, context, seconds);
}

static gw_status multiply(void *context) {
    return gw_kernels()->gemm(context);
}

// A square by its transpose: a product of zeros would be faster.
static void take_squares(gw_arena *arena, gw_gemm_args *args) {
    args->a = args->b = gw_arena_alloc(arena, SQUARE, sizeof(float));
    args->c = gw_arena_alloc(arena, SQUARE, sizeof(float));
    args->scratch = gw_arena_alloc(arena, gw_kernels()->scratch(GW_OP_gemm, args), sizeof(float));
}

// What a device with memory of its own can do, measured by its ops: the product of two squares.
static gw_status device_peak_flops(gw_precision precision, double *out) {
    gw_gemm_args args = {.m = SIDE,
                         .n = SIDE,
                         .k = SIDE,
                         .a_stride = SIDE,
                         .b_stride = SIDE,
                         .c_stride = SIDE,
                         .transpose_b = true,
                         .precision = precision};
    gw_arena arena = {0};
    double seconds = 1;
    take_squares(&arena, &args);
    GW_TRY(gw_bench_place(&arena));
    take_squares(&arena, &args);
    gw_status status = gw_bench_fill((float *)args.a, SQUARE);
    if (status == GW_OK) status = time_run(multiply, &args, &seconds);
    gw_bench_release(&arena);
    *out = 2.0 * (double)SQUARE * SIDE / seconds;
    return status;
}

static gw_status apply(void *context) {
    return gw_kernels()->activation(context);
}

// A function of many numbers.
static gw_status device_peak_bytes(double *out) {
    gw_activation_args args = {.kind = GW_ACTIVATION_RELU, .count = NUMBERS};
    void *memory;
    double seconds = 1;
    GW_TRY(gw_kernels()->allocate(2 * NUMBERS * (int64_t)sizeof(float), &memory));
    args.in = memory, args.out = (float *)memory + NUMBERS;
    const gw_status status = time_run(apply, &args, &seconds);
    gw_kernels()->release(memory);
    *out = 2.0 * NUMBERS * sizeof(float) / seconds;
    return status;
}

// --- either

gw_status gw_peak_flops(gw_precision precision, double *out) {
    if (!gw_kernels()) return GW_ERR_UNSUPPORTED;
    if (!gw_kernels()->shares_host) return device_peak_flops(precision, out);
    int flops;
    const gw_parallel_body body = choose(precision, &flops);
    const int64_t items = (int64_t)ITEMS * gw_threads();
    float *sums = gw_alloc(gw_threads(), sizeof *sums);
    if (!sums) return GW_ERR_MEMORY;
    *out = (double)items * STEPS * CHAINS * flops / least_time(items, body, sums);
    free(sums);
    return GW_OK;
}

enum { COPIED = 1 << 26, PIECE = 1 << 18 }; // bytes; larger than caches

static void copy_pieces(void *context, int64_t begin, int64_t end, int thread) {
    char *memory = context;
    (void)thread;
    for (int64_t i = begin; i < end; i++) memcpy(memory + i * PIECE, memory + COPIED + i * PIECE, PIECE);
}

gw_status gw_peak_bytes(double *out) {
    if (!gw_kernels()->shares_host) return device_peak_bytes(out);
    char *memory = gw_alloc(2, COPIED);
    if (!memory) return GW_ERR_MEMORY;
    memset(memory, 1, 2 * (size_t)COPIED);
    *out = 2.0 * COPIED / least_time(COPIED / PIECE, copy_pieces, memory);
    free(memory);
    return GW_OK;
}
