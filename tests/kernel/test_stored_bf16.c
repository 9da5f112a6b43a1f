// SPDX-License-Identifier: MIT
// Tensors that are stored as bf16: the CUDA plugin's ops read them and write them with the bits that they have with
// floats, rounded.
#include "reference/ref.h"
#include "tests/kernel/attention_cases.h"
#include "tests/kernel/emulated.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static uint16_t rounded(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float widened(uint16_t half) {
    const uint32_t bits = (uint32_t)half << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// Rows as ops store them; ends and pads are what is never to be read.
static uint16_t *store(const float *from, int64_t stride, int64_t rows, int64_t width) {
    const int64_t apart = gw_bf16_stride(width);
    uint16_t *to = test_alloc(rows * apart, sizeof *to);
    for (int64_t i = 0; i < rows * apart; i++)
        to[i] = i % apart < width ? rounded(from[i / apart * stride + i % apart]) : 0x7fc0; // NaN
    return to;
}

// A GPU adds the bias of a rounded result in another order: the next number of bf16 at most.
static void expect_rounded(const char *what, const uint16_t *got, const float *floats, int64_t stride, int64_t rows,
                           int64_t width) {
    test_array seen = test_zeros(rows * width);
    for (int64_t i = 0; i < rows * width; i++) {
        const uint16_t half = got[i / width * gw_bf16_stride(width) + i % width];
        const float wanted = floats[i / width * stride + i % width];
        seen.value[i] = widened(half);
        seen.wide[i] = (double)wanted;
        if (test_on_gpu()) cr_assert_leq(fabsf(seen.value[i] - wanted), ldexpf(fabsf(wanted), -7) + 1e-6f);
        else
            cr_assert_eq(half, rounded(wanted), "%s: number %d is %g, not %g", what, (int)i, (double)seen.value[i],
                         (double)wanted);
    }
    test_compare(what, seen, 1e-2);
}

static const struct {
    int64_t rows, n, k; // k: whole parts of the emulator's sums, which adds a bias behind them
} SHAPES[] = {{70, 64, 96}, {33, 40, 64}, {1, 72, 32}, {5, 24, 160}};

static void check_product(const gw_backend *backend, int shape, gw_activation activation, bool has_bias) {
    const int64_t rows = SHAPES[shape].rows, n = SHAPES[shape].n, k = SHAPES[shape].k;
    test_array in = test_normal(rows * k, 1.0), weight = test_normal(n * k, 1.0), bias = test_normal(n, 100.0);
    test_array out = test_zeros(rows * n);
    gw_packed *packed;
    cr_assert_eq(backend->pack(weight.value, n, k, GW_BF16, &packed), GW_OK, "%s", gw_message());
    gw_linear_args args = {.rows = rows,
                           .in = in.value,
                           .layer = {{packed, has_bias ? bias.value : NULL, activation}},
                           .out = {out.value}};
    cr_assert(backend->takes_bf16(GW_OP_linear, &args));
    args.scratch = test_alloc(backend->scratch(GW_OP_linear, &args), sizeof(float));
    cr_assert_eq(backend->linear(&args), GW_OK);
    args.in = NULL, args.in_bf16 = store(in.value, k, rows, k);
    args.out[0] = NULL, args.out_bf16[0] = test_alloc(rows * gw_bf16_stride(n), sizeof(uint16_t));
    cr_assert_eq(backend->linear(&args), GW_OK);
    expect_rounded("a product", args.out_bf16[0], out.value, n, rows, n);
    backend->packed_free(packed);
}

// A feed-forward layer with its residual and norm writes floats, and bf16 beside them.
static void check_norm_beside(const gw_backend *backend, int64_t rows, int64_t k, int64_t inside) {
    test_array in = test_normal(rows * k, 1.0), out = test_zeros(rows * k), again = test_zeros(rows * k);
    test_array bias = test_normal(inside, 1.0), norm = test_normal(k, 1.0), weight = test_normal(inside * k, 0.3);
    gw_packed *first, *second;
    cr_assert_eq(backend->pack(weight.value, inside, k, GW_BF16, &first), GW_OK, "%s", gw_message());
    cr_assert_eq(backend->pack(weight.value, k, inside, GW_BF16, &second), GW_OK, "%s", gw_message());
    gw_linear_args args = {.rows = rows,
                           .in = in.value,
                           .feed_forward = {first, bias.value, GW_ACTIVATION_GELU},
                           .layer = {{second, norm.value}},
                           .out = {out.value},
                           .residual = in.value,
                           .norm_weight = norm.value,
                           .norm_bias = norm.value,
                           .epsilon = 1e-5f};
    args.scratch = test_alloc(backend->scratch(GW_OP_linear, &args), sizeof(float));
    cr_assert_eq(backend->linear(&args), GW_OK);
    args.in = NULL, args.in_bf16 = store(in.value, k, rows, k);
    args.out[0] = again.value, args.out_bf16[0] = test_alloc(rows * gw_bf16_stride(k), sizeof(uint16_t));
    cr_assert_eq(backend->linear(&args), GW_OK);
    cr_assert_eq(memcmp(out.value, again.value, (size_t)(rows * k) * sizeof(float)), 0);
    expect_rounded("a norm behind a product", args.out_bf16[0], out.value, k, rows, k);
    backend->packed_free(first);
    backend->packed_free(second);
}

static void check_linear_stored(const gw_backend *backend) {
    static const gw_activation KINDS[] = {GW_ACTIVATION_NONE, GW_ACTIVATION_GELU, GW_ACTIVATION_RELU};
    for (int shape = 0; shape < (int)(sizeof SHAPES / sizeof SHAPES[0]); shape++)
        for (int kind = 0; kind < 3; kind++)
            for (int has_bias = 0; has_bias < 2; has_bias++) check_product(backend, shape, KINDS[kind], has_bias);
    check_norm_beside(backend, 67, 64, 96);
    check_norm_beside(backend, 9, 40, 33);
}

Test(cuda, linear_layers_over_bf16_tensors) {
    test_emulated(check_linear_stored, GW_OP_linear, TEST_ORDERS);
}

static void check_norm_stored(const gw_backend *backend) {
    const int64_t rows = 13, width = 72;
    test_array in = test_normal(rows * width, 2.0), weight = test_normal(width, 1.0), out = test_zeros(rows * width);
    test_array mean = test_zeros(rows), deviation = test_zeros(rows);
    gw_layer_norm_args args = {.rows = rows,
                               .width = width,
                               .epsilon = 1e-5f,
                               .in = in.value,
                               .weight = weight.value,
                               .bias = weight.value,
                               .out = out.value,
                               .mean = mean.value,
                               .inverse_deviation = deviation.value};
    cr_assert(backend->takes_bf16(GW_OP_layer_norm, &args));
    for (int beside = 1; beside >= 0; beside--) {
        args.out = beside ? out.value : NULL;
        args.out_bf16 = test_alloc(rows * gw_bf16_stride(width), sizeof(uint16_t));
        cr_assert_eq(backend->layer_norm(&args), GW_OK);
        expect_rounded("a norm", args.out_bf16, out.value, width, rows, width);
    }
}

Test(cuda, norms_write_bf16_tensors) {
    test_emulated(check_norm_stored, GW_OP_layer_norm, TEST_ORDERS);
}

static void check_attention_stored(const gw_backend *backend) {
    for (int c = 0; c < TENSOR_CASE_COUNT; c++) {
        attention_test t;
        attention_begin(&t, &TENSOR_CASES[c], GW_BF16);
        attention_give_scratch(&t, backend, GW_OP_attention);
        gw_attention_args *args = &t.args;
        const int64_t width = (int64_t)args->heads * args->head_size, rows = args->query_rows;
        cr_assert(backend->takes_bf16(GW_OP_attention, args));
        cr_assert_eq(backend->attention(args), GW_OK);
        float *sums = test_copy(args->log_sum, args->heads * rows, sizeof *sums);
        args->query_bf16 = store(args->query, args->query_stride, rows, width);
        args->key_bf16 = store(args->key, args->key_stride, args->key_rows, width);
        args->value_bf16 = store(args->value, args->value_stride, args->key_rows, width);
        args->query = args->key = args->value = NULL;
        float *out = args->out;
        args->out = NULL, args->out_bf16 = test_alloc(rows * gw_bf16_stride(width), sizeof(uint16_t));
        cr_assert_eq(backend->attention(args), GW_OK);
        expect_rounded("attention", args->out_bf16, out, args->out_stride, rows, width);
        cr_assert_eq(memcmp(sums, args->log_sum, (size_t)(args->heads * rows) * sizeof *sums), 0);
        attention_end(&t);
        test_release();
    }
}

Test(cuda, attention_over_bf16_tensors) {
    test_emulated(check_attention_stored, GW_OP_attention, TEST_ORDERS);
}
