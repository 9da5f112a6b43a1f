// SPDX-License-Identifier: MIT
// Products of squares too large for caches, and ReLU of more numbers than these hold.
#include "run/bench_device_peak.h"

#include "kernels/backend.h"
#include "run/bench.h"
#include "run/bench_memory.h"

enum { SIDE = 8192, NUMBERS = 1 << 26, REPEATS = 10 };
static const int64_t SQUARE = (int64_t)SIDE * SIDE;

static gw_status time_run(gw_status (*run)(void *), void *context, double *seconds) {
    return gw_bench_time(&(gw_bench){.repeats = REPEATS}, run, context, seconds);
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

gw_status gw_device_peak_flops(gw_precision precision, double *out) {
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

gw_status gw_device_peak_bytes(double *out) {
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
