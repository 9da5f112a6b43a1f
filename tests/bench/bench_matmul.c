// SPDX-License-Identifier: MIT
// Speed of the matrix products of a base-size model, each beside oneDNN's own matmul on packed weights of the same
// shape in the same run: layers over packed weights (linear), and training's y = x W^T (NT), dx = dy W (NN) and
// dW += dy^T x (TN). A product and its peer take turns; times are the fastest.
//   bench_matmul [THREADS]
#include "base/clock.h"
#include "kernels/backend.h"
#include "kernels/cpu/matmul/onednn.h"
#include "run/bench.h"
#include "run/bench_peak.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 3 };
static const double SECONDS = 0.25; // and at least this long

static void fail(void) {
    fprintf(stderr, "bench_matmul: %s\n", gw_message());
    exit(1);
}

static float *numbers(int64_t count) {
    float *values = gw_alloc_aligned(count * (int64_t)sizeof *values);
    if (!values) fail();
    uint32_t state = 1;
    for (int64_t i = 0; i < count; i++)
        values[i] = (float)((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-23f - 1.0f;
    return values;
}

typedef struct {
    int64_t m, n, k;
    gw_precision precision;
    float *x, *weight, *y, *bias, *scratch; // [M][K], [N][K], [M][N], [N]
    void *x16, *weight16;                   // the peer's
    gw_packed *packed;
    gw_product peer;
} problem;

typedef struct {
    const char *name;
    void (*run)(problem *p);
} contender;

static void run_peer(problem *p) {
    const void *x = p->precision == GW_BF16 ? p->x16 : (const void *)p->x;
    if (gw_product_run(&p->peer, x, p->weight16, p->y, p->scratch) != dnnl_success) fail();
}

static void run_linear(problem *p) {
    const gw_linear_args args = {
        .rows = p->m, .in = p->x, .layer = {{p->packed, p->bias}}, .out = {p->y}, .scratch = p->scratch};
    if (gw_kernels()->linear(&args) != GW_OK) fail();
}

static void run_gemm(problem *p, gw_gemm_args args) {
    args.precision = p->precision;
    args.scratch = p->scratch;
    if (gw_kernels()->gemm(&args) != GW_OK) fail();
}

static void run_forward(problem *p) {
    run_gemm(p, (gw_gemm_args){.transpose_b = true,
                               .m = p->m,
                               .n = p->n,
                               .k = p->k,
                               .a = p->x,
                               .a_stride = p->k,
                               .b = p->weight,
                               .b_stride = p->k,
                               .c = p->y,
                               .c_stride = p->n,
                               .bias = p->bias});
}

static void run_input_gradient(problem *p) {
    run_gemm(p, (gw_gemm_args){.m = p->m,
                               .n = p->k,
                               .k = p->n,
                               .a = p->y,
                               .a_stride = p->n,
                               .b = p->weight,
                               .b_stride = p->k,
                               .c = p->x,
                               .c_stride = p->k});
}

static void run_weight_gradient(problem *p) {
    run_gemm(p, (gw_gemm_args){.transpose_a = true,
                               .accumulate = true,
                               .m = p->n,
                               .n = p->k,
                               .k = p->m,
                               .a = p->y,
                               .a_stride = p->n,
                               .b = p->x,
                               .b_stride = p->k,
                               .c = p->weight,
                               .c_stride = p->k});
}

static const contender CONTENDERS[] = {{"peer", run_peer},
                                       {"linear", run_linear},
                                       {"NT", run_forward},
                                       {"NN", run_input_gradient},
                                       {"TN", run_weight_gradient}};
enum { CONTENDER_COUNT = sizeof CONTENDERS / sizeof CONTENDERS[0] };

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t scratch_for(const problem *p) {
    const gw_linear_args args = {.layer = {{p->packed}}};
    const gw_gemm_args forms[] = {{.n = p->n, .k = p->k, .precision = GW_BF16},
                                  {.n = p->k, .k = p->n, .precision = GW_BF16},
                                  {.n = p->k, .k = p->m, .precision = GW_BF16}};
    int64_t most = larger(gw_kernels()->scratch(GW_OP_linear, &args), p->peer.scratch / (int64_t)sizeof(float) + 64);
    for (int i = 0; i < 3; i++) most = larger(most, gw_kernels()->scratch(GW_OP_gemm, &forms[i]));
    return most;
}

static void make(problem *p) {
    p->x = numbers(p->m * p->k), p->weight = numbers(p->n * p->k), p->y = numbers(p->m * p->n), p->bias = numbers(p->n);
    p->x16 = numbers(p->m * p->k);
    if (gw_kernels()->pack(p->weight, p->n, p->k, p->precision, &p->packed) != GW_OK) fail();
    if (gw_product_make(&p->peer, p->m, p->n, p->k, p->n, p->precision, NULL) != dnnl_success) fail();
    p->weight16 = gw_alloc_aligned(gw_product_weight_bytes(&p->peer));
    if (!p->weight16 || gw_product_pack(&p->peer, p->weight, p->n, p->k, p->weight16) != dnnl_success) fail();
    p->scratch = numbers(scratch_for(p));
}

static void release(problem *p) {
    gw_kernels()->packed_free(p->packed);
    gw_product_free(&p->peer);
    free(p->x), free(p->weight), free(p->y), free(p->bias), free(p->scratch), free(p->x16), free(p->weight16);
}

static void measure(problem *p, const double peak) {
    double best[CONTENDER_COUNT], total = 0.0;
    for (int i = 0; i < CONTENDER_COUNT; i++) best[i] = INFINITY;
    for (int turn = 0; turn <= REPEATS || total < SECONDS * CONTENDER_COUNT; turn++)
        for (int i = 0; i < CONTENDER_COUNT; i++) {
            const double start = gw_seconds_now();
            CONTENDERS[i].run(p);
            const double taken = gw_seconds_now() - start;
            if (turn > 0) best[i] = fmin(best[i], taken), total += taken;
        }
    const double work = 2.0 * (double)p->m * (double)p->n * (double)p->k;
    printf("%-5s %4d x %5d x %4d", p->precision == GW_BF16 ? "bf16" : "f32", (int)p->m, (int)p->n, (int)p->k);
    printf("  %7.0f GFLOP/s (%3.0f %% of registers)", work / best[0] * 1e-9, 100.0 * work / best[0] / peak);
    for (int i = 1; i < CONTENDER_COUNT; i++) printf("  %s %3.0f %%", CONTENDERS[i].name, 100.0 * best[0] / best[i]);
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv) {
    static const int64_t LAYERS[][2] = {{768, 768}, {3072, 768}, {768, 3072}, {32000, 768}};
    if (argc > 1) gw_set_threads(atoi(argv[1]));
    if (!gw_kernels()) fail();
    printf("backend %s, %d threads; shares of the peer's rate\n", gw_kernels()->name, gw_threads());
    for (gw_precision precision = GW_F32; precision <= (gw_has_bf16() ? GW_BF16 : GW_F32); precision++) {
        double peak;
        if (gw_peak_flops(precision, &peak) != GW_OK) fail();
        for (int64_t m = 4096; m >= 512; m -= 4096 - 512)
            for (size_t i = 0; i < sizeof LAYERS / sizeof LAYERS[0]; i++) {
                problem p = {.m = m, .n = LAYERS[i][0], .k = LAYERS[i][1], .precision = precision};
                make(&p);
                measure(&p, peak);
                release(&p);
            }
    }
    return 0;
}
