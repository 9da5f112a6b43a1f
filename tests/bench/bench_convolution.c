// SPDX-License-Identifier: MIT
// Speed of convolution on 32 sequences of 512 rows with 9 taps, forward and backward, beside the product of plain rows
// with as many operations (M rows, N width, K taps * width) in the same run. They take turns; times are the fastest.
//   bench_convolution [THREADS]
// A line each: type, width, dilation, then GFLOP/s of plain rows, forward, backward, and both shares of the first.
#include "base/clock.h"
#include "kernels/backend.h"
#include "run/bench.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEQUENCES = 32, LENGTH = 512, ROWS = SEQUENCES * LENGTH, TAPS = 9, REPEATS = 7, RUNS = 3 };

static void check(gw_status status) {
    if (status == GW_OK) return;
    fprintf(stderr, "bench_convolution: %s\n", gw_message());
    exit(1);
}

static float *numbers(int64_t count) {
    float *values = gw_alloc_aligned(count * (int64_t)sizeof *values);
    if (!values) check(GW_ERR_MEMORY);
    uint32_t state = 1;
    for (int64_t i = 0; i < count; i++)
        values[i] = (float)((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-23f - 1.0f;
    return values;
}

typedef struct {
    gw_gemm_args plain;
    gw_convolution_args convolution;
    float *values[9]; // to free
    int count;
} problem;

static float *take(problem *p, int64_t count) {
    return p->values[p->count++] = numbers(count);
}

static problem make(int64_t width, int dilation, gw_precision precision) {
    static int64_t start[SEQUENCES + 1];
    const int64_t values = ROWS * width, weights = TAPS * width * width;
    problem p = {0};
    for (int s = 0; s <= SEQUENCES; s++) start[s] = (int64_t)s * LENGTH;
    float *weight = take(&p, weights), *bias = take(&p, width), *out = take(&p, values);
    p.plain = (gw_gemm_args){.transpose_b = true,
                             .m = ROWS,
                             .n = width,
                             .k = TAPS * width,
                             .a = take(&p, TAPS * values),
                             .a_stride = TAPS * width,
                             .b = weight,
                             .b_stride = TAPS * width,
                             .c = out,
                             .c_stride = width,
                             .bias = bias,
                             .precision = precision};
    p.convolution = (gw_convolution_args){.sequences = SEQUENCES,
                                          .rows = ROWS,
                                          .start = start,
                                          .in_width = width,
                                          .width = width,
                                          .taps = TAPS,
                                          .dilation = dilation,
                                          .groups = 1,
                                          .in = take(&p, values),
                                          .weight = weight,
                                          .bias = bias,
                                          .out = out,
                                          .out_gradient = take(&p, values),
                                          .in_gradient = take(&p, values),
                                          .weight_gradient = take(&p, weights),
                                          .overwrites = true,
                                          .precision = precision};
    const int64_t of_plain = gw_kernels()->scratch(GW_OP_gemm, &p.plain),
                  of_forward = gw_kernels()->scratch(GW_OP_convolution, &p.convolution),
                  of_backward = gw_kernels()->scratch(GW_OP_convolution_backward, &p.convolution);
    p.plain.scratch = p.convolution.scratch = take(&p, of_plain + of_forward + of_backward + 1);
    return p;
}

static void run(const problem *p, int which) {
    if (which == 0) check(gw_kernels()->gemm(&p->plain));
    if (which == 1) check(gw_kernels()->convolution(&p->convolution));
    if (which == 2) check(gw_kernels()->convolution_backward(&p->convolution));
}

static void measure(int64_t width, int dilation, gw_precision precision) {
    problem p = make(width, dilation, precision);
    const double work = 2e-9 * ROWS * TAPS * (double)(width * width);
    double best[RUNS] = {INFINITY, INFINITY, INFINITY};
    for (int turn = 0; turn <= REPEATS; turn++)
        for (int i = 0; i < RUNS; i++) {
            const double begin = gw_seconds_now();
            run(&p, i);
            if (turn > 0) best[i] = fmin(best[i], gw_seconds_now() - begin);
        }
    const double plain = work / best[0], forward = work / best[1], backward = 2.0 * work / best[2];
    printf("%-5s %4d %3d  plain rows %6.0f GFLOP/s  forward %6.0f  backward %6.0f  shares %4.0f %% %4.0f %%\n",
           precision == GW_BF16 ? "bf16" : "f32", (int)width, dilation, plain, forward, backward,
           100.0 * forward / plain, 100.0 * backward / plain);
    fflush(stdout);
    for (int i = 0; i < p.count; i++) free(p.values[i]);
}

int main(int argc, char **argv) {
    if (argc > 1) gw_set_threads(atoi(argv[1]));
    if (!gw_kernels()) check(GW_ERR_UNSUPPORTED);
    printf("backend %s, %d threads\n", gw_kernels()->name, gw_threads());
    for (gw_precision precision = GW_F32; precision <= (gw_has_bf16() ? GW_BF16 : GW_F32); precision++)
        for (int64_t width = 128; width <= 256; width *= 2)
            for (int dilation = 1; dilation <= 32; dilation = dilation == 1 ? 4 : 8 * dilation)
                measure(width, dilation, precision);
    return 0;
}
