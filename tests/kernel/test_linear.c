// SPDX-License-Identifier: MIT
// linear: packed weights in f32 and bf16, every activation, blocks of columns, layers that go on in one step (a
// feed-forward one, a residual, a norm, several of one input), and rows whose bits do not depend on R.
#include "base/parallel.h"
#include "reference/ref.h"
#include "tests/kernel/emulated.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

// At most twice the error of the plain formula in f32 on the same numbers (sums of K terms).
static const double LIMIT = 7e-7;

static const struct {
    int64_t rows, n, k;
} SHAPES[] = {{1, 9, 1}, {3, 5, 7}, {64, 16, 33}, {65, 1, 40}, {130, 67, 129}, {15, 1000, 64}, {97, 769, 24}};

static void apply(gw_activation activation, int64_t count, double *value) {
    switch (activation) {
    case GW_ACTIVATION_NONE:
    case GW_ACTIVATION_SIGMOID:
    case GW_ACTIVATION_ELU_PLUS_ONE:
    case GW_ACTIVATION_SOFTPLUS: return; // which products do not apply
    case GW_ACTIVATION_GELU: ref_gelu(count, value, value); return;
    case GW_ACTIVATION_GELU_EXACT: ref_gelu_exact(count, value, value); return;
    case GW_ACTIVATION_GELU_QUICK: ref_gelu_quick(count, value, value); return;
    case GW_ACTIVATION_RELU: ref_relu(count, value, value); return;
    case GW_ACTIVATION_TANH: ref_tanh(count, value, value); return;
    case GW_ACTIVATION_SILU: ref_silu(count, value, value); return;
    }
}

static gw_packed *pack(const gw_backend *backend, test_array weight, int64_t n, int64_t k, gw_precision precision) {
    gw_packed *packed;
    cr_assert(backend->pack(weight.value, n, k, precision, &packed) == GW_OK, "%s", gw_message());
    return packed;
}

static void check_layer(const gw_backend *backend, int shape, gw_precision precision, gw_activation activation) {
    const int64_t rows = SHAPES[shape].rows, n = SHAPES[shape].n, k = SHAPES[shape].k;
    const bool has_bias = (shape + (int)activation) % 3 > 0;
    test_array in = test_normal(rows * k, 1.0), weight = test_normal(n * k, 1.0), bias = test_normal(n, 1.0);
    test_array out = test_zeros(rows * n);
    gw_packed *packed = pack(backend, weight, n, k, precision);
    gw_linear_args args = {.rows = rows,
                           .in = in.value,
                           .layer = {{packed, has_bias ? bias.value : NULL, activation}},
                           .out = {out.value}};
    args.scratch = test_alloc(backend->scratch(GW_OP_linear, &args), sizeof(float));
    cr_assert(backend->linear(&args) == GW_OK);
    test_unchanged("in", in);
    if (precision == GW_BF16) test_round_to_bf16(in), test_round_to_bf16(weight);
    ref_gemm(false, true, false, rows, n, k, in.wide, weight.wide, has_bias ? bias.wide : NULL, out.wide);
    apply(activation, rows * n, out.wide);
    test_compare("out", out, test_sum_limit(LIMIT, k));
    backend->packed_free(packed);
}

// The first rows of a layer of more rows, bit for bit.
static void check_rows_alone(const gw_backend *backend, int64_t n, int64_t k, gw_precision precision) {
    enum { MOST = 200 };
    static const int64_t ROWS[] = {1, 2, 15, 16, 17, 31, 33, 48, 63, 64, 65, 80, 127, 128, 129, 199};
    test_array in = test_normal(MOST * k, 1.0), weight = test_normal(n * k, 1.0);
    test_array all = test_zeros(MOST * n), some = test_zeros(MOST * n);
    gw_packed *packed = pack(backend, weight, n, k, precision);
    gw_linear_args args = {.rows = MOST, .in = in.value, .layer = {{packed}}, .out = {all.value}};
    args.scratch = test_alloc(backend->scratch(GW_OP_linear, &args), sizeof(float));
    cr_assert(backend->linear(&args) == GW_OK);
    args.out[0] = some.value;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        args.rows = ROWS[i];
        cr_assert(backend->linear(&args) == GW_OK);
        cr_assert(memcmp(some.value, all.value, (size_t)(args.rows * n) * sizeof(float)) == 0,
                  "%d rows of N %d, K %d have other bits than among %d", (int)args.rows, (int)n, (int)k, MOST);
    }
    backend->packed_free(packed);
}

// ---- layers that go on in one step

static const double GPU_GELU_LIMIT = 4e-6;   // cuBLASLt's
static const double BF16_INNER_LIMIT = 2e-4; // a sum between two bf16 numbers may round to the other one
static const float EPSILON = 1e-5f;

// out = LN(f(in W^T + b) V^T + c + residual), with each part left out in some cases
typedef struct {
    int64_t rows, k, feed_forward, n;
    bool has_feed_forward, has_residual, has_norm, is_rms; // is_rms: a norm without a bias
} joined_case;

static const joined_case JOINED[] = {
    {1, 7, 5, 9, true, true, true},
    {3, 24, 40, 16, true, false, false},
    {65, 33, 67, 48, true, true, false},
    {130, 40, 1000, 33, true, false, true},
    {200, 16, 96, 800, true, true, true},
    {15, 129, 0, 64, false, true, true},
    {65, 64, 0, 1540, false, true, true},
    {129, 30, 0, 17, false, true, false},
    {67, 50, 0, 70, false, true, true, true},
    {66, 20, 64, 33, true, true, true, true},
    // single tiles of several blocks, which threads share
    {5, 40, 500, 400, true, true, true},
    {13, 64, 0, 500, false, true, true},
    {33, 20, 300, 250, true, false, false},
    {8, 30, 390, 210, true, true, true, true},
};

static void wanted_of(const joined_case *c, gw_precision precision, const double *in, test_array weight[2],
                      test_array bias[2], const double *residual, test_array norm[2], double *out) {
    test_array feed_forward = test_zeros(c->rows * (c->has_feed_forward ? c->feed_forward : 1));
    if (c->has_feed_forward) {
        ref_gemm(false, true, false, c->rows, c->feed_forward, c->k, in, weight[0].wide, bias[0].wide,
                 feed_forward.wide);
        ref_gelu(feed_forward.count, feed_forward.wide, feed_forward.wide);
        if (precision == GW_BF16) test_round_to_bf16(feed_forward);
        in = feed_forward.wide;
    }
    ref_gemm(false, true, false, c->rows, c->n, c->has_feed_forward ? c->feed_forward : c->k, in, weight[1].wide,
             bias[1].wide, out);
    for (int64_t i = 0; c->has_residual && i < c->rows * c->n; i++) out[i] += residual[i];
    test_array mean = test_zeros(c->rows), deviation = test_zeros(c->rows);
    double *summed = test_alloc(c->rows * c->n, sizeof *summed);
    memcpy(summed, out, (size_t)(c->rows * c->n) * sizeof *summed);
    if (c->is_rms) ref_rms_norm(c->rows, c->n, EPSILON, summed, norm[0].wide, out);
    else if (c->has_norm)
        ref_layer_norm(c->rows, c->n, EPSILON, summed, norm[0].wide, norm[1].wide, out, mean.wide, deviation.wide);
}

static void check_joined(const gw_backend *backend, const joined_case *c, gw_precision precision) {
    const int64_t k = c->has_feed_forward ? c->feed_forward : c->k;
    test_array in = test_normal(c->rows * c->k, 1.0), residual = test_normal(c->rows * c->n, 1.0);
    test_array weight[2] = {test_normal(k * c->k, 0.3), test_normal(c->n * k, 1.0)};
    test_array bias[2] = {test_normal(k, 1.0), test_normal(c->n, 1.0)};
    test_array norm[2] = {test_normal(c->n, 1.0), test_normal(c->n, 1.0)}, out = test_zeros(c->rows * c->n);
    gw_packed *feed_forward = c->has_feed_forward ? pack(backend, weight[0], c->feed_forward, c->k, precision) : NULL;
    gw_packed *packed = pack(backend, weight[1], c->n, k, precision);
    gw_linear_args args = {.rows = c->rows,
                           .in = in.value,
                           .feed_forward = {feed_forward, bias[0].value, GW_ACTIVATION_GELU},
                           .layer = {{packed, bias[1].value}},
                           .out = {out.value},
                           .residual = c->has_residual ? residual.value : NULL,
                           .norm_weight = c->has_norm ? norm[0].value : NULL,
                           .norm_bias = c->has_norm && !c->is_rms ? norm[1].value : NULL,
                           .epsilon = EPSILON};
    args.scratch = test_alloc(backend->scratch(GW_OP_linear, &args), sizeof(float));
    cr_assert(backend->linear(&args) == GW_OK);
    test_unchanged("in", in);
    test_unchanged("residual", residual);
    if (precision == GW_BF16) test_round_to_bf16(in), test_round_to_bf16(weight[0]), test_round_to_bf16(weight[1]);
    wanted_of(c, precision, in.wide, weight, bias, residual.wide, norm, out.wide);
    double limit = 2 * test_sum_limit(LIMIT, k > c->k ? k : c->k);
    if (c->has_feed_forward && test_on_gpu()) limit = GPU_GELU_LIMIT;
    test_compare("out", out, precision == GW_BF16 && c->has_feed_forward ? BF16_INNER_LIMIT : limit);
    backend->packed_free(feed_forward);
    backend->packed_free(packed);
}

// Layers side by side have the bits that they have alone, whatever part of the rows is there.
static void check_side_by_side(const gw_backend *backend, gw_precision precision, int64_t rows, int64_t most) {
    enum { K = 40 };
    static const int64_t N[GW_LINEAR_OUTS] = {5, 900, 33};
    test_array in = test_normal(most * K, 1.0);
    gw_linear_args args = {.rows = rows, .in = in.value};
    test_array out[GW_LINEAR_OUTS], alone[GW_LINEAR_OUTS];
    gw_packed *packed[GW_LINEAR_OUTS];
    for (int i = 0; i < GW_LINEAR_OUTS; i++) {
        packed[i] = pack(backend, test_normal(N[i] * K, 1.0), N[i], K, precision);
        args.layer[i] = (gw_linear_layer){packed[i], NULL, (gw_activation)i};
        out[i] = test_zeros(rows * N[i]);
        args.out[i] = out[i].value;
    }
    args.scratch = test_alloc(backend->scratch(GW_OP_linear, &args), sizeof(float));
    cr_assert(backend->linear(&args) == GW_OK);
    for (int i = 0; i < GW_LINEAR_OUTS; i++) {
        alone[i] = test_zeros(most * N[i]);
        gw_linear_args one = {.rows = most, .in = in.value, .layer = {args.layer[i]}, .out = {alone[i].value}};
        one.scratch = test_alloc(backend->scratch(GW_OP_linear, &one), sizeof(float));
        cr_assert(backend->linear(&one) == GW_OK);
        cr_assert(memcmp(out[i].value, alone[i].value, (size_t)(rows * N[i]) * sizeof(float)) == 0,
                  "layer %d of %d rows has other bits than alone among %d", i, (int)rows, (int)most);
        backend->packed_free(packed[i]);
    }
}

// The first rows of a feed-forward layer, bit for bit.
static void check_joined_rows_alone(const gw_backend *backend, gw_precision precision) {
    enum { K = 208, FEED_FORWARD = 200, MOST = 200 };
    test_array in = test_normal(MOST * K, 1.0), norm = test_normal(K, 1.0);
    test_array all = test_zeros(MOST * K), some = test_zeros(MOST * K);
    gw_packed *feed_forward = pack(backend, test_normal(FEED_FORWARD * K, 0.3), FEED_FORWARD, K, precision);
    gw_packed *packed = pack(backend, test_normal(FEED_FORWARD * K, 1.0), K, FEED_FORWARD, precision);
    gw_linear_args args = {.rows = MOST,
                           .in = in.value,
                           .feed_forward = {feed_forward, NULL, GW_ACTIVATION_GELU},
                           .layer = {{packed}},
                           .out = {all.value},
                           .residual = in.value,
                           .norm_weight = norm.value,
                           .norm_bias = norm.value,
                           .epsilon = EPSILON};
    args.scratch = test_alloc(backend->scratch(GW_OP_linear, &args), sizeof(float));
    cr_assert(backend->linear(&args) == GW_OK);
    args.out[0] = some.value;
    for (args.rows = 1; args.rows < MOST; args.rows += args.rows < 70 ? 1 : 13) {
        cr_assert(backend->linear(&args) == GW_OK);
        cr_assert(memcmp(some.value, all.value, (size_t)(args.rows * K) * sizeof(float)) == 0,
                  "%d rows have other bits than among %d", (int)args.rows, MOST);
    }
    backend->packed_free(feed_forward);
    backend->packed_free(packed);
}

void check_linear(const gw_backend *backend) {
    for (gw_precision precision = GW_F32; precision <= (gw_has_bf16() ? GW_BF16 : GW_F32); precision++) {
        for (int shape = 0; shape < (int)(sizeof SHAPES / sizeof SHAPES[0]); shape++)
            for (gw_activation activation = GW_ACTIVATION_NONE; activation <= GW_ACTIVATION_GELU_QUICK; activation++)
                check_layer(backend, shape, precision, activation);
        check_rows_alone(backend, 128, 381, precision);
        check_rows_alone(backend, 900, 40, precision);
        check_rows_alone(backend, 2, 64, precision);
        for (size_t i = 0; i < sizeof JOINED / sizeof JOINED[0]; i++) check_joined(backend, &JOINED[i], precision);
        check_joined_rows_alone(backend, precision);
        check_side_by_side(backend, precision, 1, 200);
        check_side_by_side(backend, precision, 77, 130);
        check_side_by_side(backend, precision, 700, 700);
    }
}

// oneDNN's choice of a kernel depends on the rows where it has no AVX-512; it reads the variable at its first use.
Test(kernel, linear_where_onednn_has_avx2_only) {
    setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
    test_restart();
    check_linear(gw_kernels());
    test_release();
}
