// SPDX-License-Identifier: MIT
// Tensors and gradients that are stored as bf16: the CUDA plugin's ops read them and write them with the bits that they
// have with floats, rounded.
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

// ---- gradients

static uint16_t *room(int64_t rows, int64_t width) {
    return test_alloc(rows * gw_bf16_stride(width), sizeof(uint16_t));
}

// The array as an op reads it that is given bf16.
static void round_both(test_array array) {
    for (int64_t i = 0; i < array.count; i++) array.value[i] = widened(rounded(array.value[i]));
    test_round_to_bf16(array);
}

// The rounded gradient beside the reference's, in the place of that in f32.
static void expect_gradient(const char *what, const uint16_t *got, test_array gradient, int64_t stride, int64_t width) {
    for (int64_t i = 0; i < gradient.count; i++)
        if (i % stride < width) gradient.value[i] = widened(got[i / stride * gw_bf16_stride(width) + i % stride]);
    test_compare(what, gradient, ATTENTION_BF16_LIMIT);
}

static void check_attention_gradients(const gw_backend *backend, const attention_case *shape) {
    attention_test t;
    attention_begin(&t, shape, GW_BF16);
    gw_attention_args *args = &t.args;
    const int64_t width = t.width, stride = width + GAP;
    test_array gradients[3] = {t.dquery, t.dkey, t.dvalue};
    round_both(t.dout);
    for (int g = 0; g < 3; g++)
        for (int64_t i = 0; i < gradients[g].count; i++) gradients[g].value[i] = 0, gradients[g].wide[i] = 0;
    attention_want_forward(&t);
    attention_want_backward(&t);
    attention_give_scratch(&t, backend, GW_OP_attention);
    cr_assert_eq(backend->attention(args), GW_OK);
    for (int64_t i = 0; i < t.out.count; i++) t.out.value[i] = widened(rounded(t.out.value[i]));
    attention_give_scratch(&t, backend, GW_OP_attention_backward);
    cr_assert_eq(backend->attention_backward(args), GW_OK);
    float *floats[3];
    for (int g = 0; g < 3; g++) floats[g] = test_copy(gradients[g].value, gradients[g].count, sizeof(float));
    args->query_bf16 = store(args->query, args->query_stride, t.query_rows, width);
    args->key_bf16 = store(args->key, args->key_stride, t.key_rows, width);
    args->value_bf16 = store(args->value, args->value_stride, t.key_rows, width);
    args->out_bf16 = store(args->out, args->out_stride, t.query_rows, width);
    args->out_gradient_bf16 = store(args->out_gradient, args->out_stride, t.query_rows, width);
    args->query_gradient_bf16 = room(t.query_rows, width);
    args->key_gradient_bf16 = room(t.key_rows, width);
    args->value_gradient_bf16 = room(t.key_rows, width);
    args->query = args->key = args->value = args->out_gradient = NULL;
    args->out = args->query_gradient = args->key_gradient = args->value_gradient = NULL;
    cr_assert_eq(backend->attention_backward(args), GW_OK);
    const uint16_t *got[3] = {args->query_gradient_bf16, args->key_gradient_bf16, args->value_gradient_bf16};
    static const char *const NAMES[3] = {"gradient of queries", "gradient of keys", "gradient of values"};
    for (int g = 0; g < 3; g++) {
        expect_rounded(NAMES[g], got[g], floats[g], stride, gradients[g].count / stride, width);
        expect_gradient(NAMES[g], got[g], gradients[g], stride, width);
    }
    attention_end(&t);
    test_release();
}

static void check_attention_backward_stored(const gw_backend *backend) {
    for (int c = 0; c < TENSOR_CASE_COUNT; c++) check_attention_gradients(backend, &TENSOR_CASES[c]);
}

Test(cuda, attention_backward_over_bf16_gradients) {
    test_emulated(check_attention_backward_stored, GW_OP_attention_backward, TEST_ORDERS);
}

// dx = dy W, dW += dy^T x and the sums of dy, of rounded dy and x.
static void check_gradients_of_products(const gw_backend *backend) {
    for (int shape = 0; shape < (int)(sizeof SHAPES / sizeof SHAPES[0]); shape++) {
        const int64_t rows = SHAPES[shape].rows, n = SHAPES[shape].n, k = SHAPES[shape].k;
        test_array dy = test_normal(rows * n, 1.0), x = test_normal(rows * k, 1.0), weight = test_normal(n * k, 1.0);
        test_array dx = test_zeros(rows * k), sums[2], weights[2];
        round_both(dy), round_both(x);
        for (int stored = 0; stored < 2; stored++) {
            test_draw_again();
            sums[stored] = test_normal(n, 1.0), weights[stored] = test_normal(n * k, 1.0);
            const uint16_t *half = store(dy.value, n, rows, n), *in = store(x.value, k, rows, k);
            gw_gemm_args of_weight = {.transpose_a = true,
                                      .accumulate = true,
                                      .m = n,
                                      .n = k,
                                      .k = rows,
                                      .a = stored ? NULL : dy.value,
                                      .a_stride = n,
                                      .b = stored ? NULL : x.value,
                                      .b_stride = k,
                                      .c = weights[stored].value,
                                      .c_stride = k,
                                      .precision = GW_BF16,
                                      .a_sum = sums[stored].value,
                                      .a_bf16 = stored ? (uint16_t *)half : NULL,
                                      .b_bf16 = stored ? (uint16_t *)in : NULL};
            gw_gemm_args of_input = {.m = rows,
                                     .n = k,
                                     .k = n,
                                     .a = of_weight.a,
                                     .a_stride = n,
                                     .b = weight.value,
                                     .b_stride = k,
                                     .c = stored ? NULL : dx.value,
                                     .c_stride = k,
                                     .precision = GW_BF16,
                                     .a_bf16 = of_weight.a_bf16,
                                     .c_bf16 = stored ? room(rows, k) : NULL};
            of_weight.scratch = test_alloc(backend->scratch(GW_OP_gemm, &of_weight), sizeof(float));
            of_input.scratch = test_alloc(backend->scratch(GW_OP_gemm, &of_input), sizeof(float));
            cr_assert_eq(backend->gemm(&of_weight), GW_OK);
            cr_assert_eq(backend->gemm(&of_input), GW_OK);
            if (stored) expect_rounded("gradient of the input", of_input.c_bf16, dx.value, k, rows, k);
        }
        cr_assert_eq(memcmp(sums[0].value, sums[1].value, (size_t)n * sizeof(float)), 0);
        cr_assert_eq(memcmp(weights[0].value, weights[1].value, (size_t)(n * k) * sizeof(float)), 0);
        test_release();
    }
}

Test(cuda, products_over_bf16_gradients) {
    test_emulated(check_gradients_of_products, GW_OP_gemm, TEST_ORDERS);
}

enum { ROWS = 37, WIDTH = 24, NUMBERS = ROWS * WIDTH };

static void check_activations_stored(const gw_backend *backend) {
    test_array in = test_normal(NUMBERS, 1.5), out = test_zeros(NUMBERS);
    round_both(in);
    gw_activation_args args = {
        .kind = GW_ACTIVATION_GELU, .count = NUMBERS, .width = WIDTH, .in = in.value, .out = out.value};
    cr_assert(backend->takes_bf16(GW_OP_activation, &args));
    cr_assert_eq(backend->activation(&args), GW_OK);
    args.in = NULL, args.in_bf16 = store(in.value, WIDTH, ROWS, WIDTH);
    test_array again = test_zeros(NUMBERS);
    args.out = again.value;
    cr_assert_eq(backend->activation(&args), GW_OK);
    cr_assert_eq(memcmp(out.value, again.value, NUMBERS * sizeof(float)), 0);
    args.out = NULL, args.out_bf16 = room(ROWS, WIDTH);
    cr_assert_eq(backend->activation(&args), GW_OK);
    expect_rounded("an activation", args.out_bf16, out.value, WIDTH, ROWS, WIDTH);
}

Test(cuda, activations_of_bf16_tensors) {
    test_emulated(check_activations_stored, GW_OP_activation, TEST_ORDERS);
}

// bit 0: the gradient read is bf16; bit 1: the one written; 4: both, in the same memory
static void check_derivatives_stored(const gw_backend *backend) {
    for (int way = 0; way < 5; way++) {
        test_array in = test_normal(NUMBERS, 1.5), dout = test_normal(NUMBERS, 1.0), din = test_zeros(NUMBERS);
        test_array added = test_zeros(NUMBERS);
        round_both(in), round_both(dout);
        gw_activation_args args = {.kind = GW_ACTIVATION_GELU_EXACT,
                                   .count = NUMBERS,
                                   .width = WIDTH,
                                   .in = in.value,
                                   .out_gradient = dout.value,
                                   .in_gradient = din.value};
        cr_assert_eq(backend->activation_backward(&args), GW_OK);
        ref_gelu_exact_backward(NUMBERS, in.wide, dout.wide, din.wide);
        args.in = NULL, args.in_bf16 = store(in.value, WIDTH, ROWS, WIDTH);
        args.in_gradient = added.value;
        if (way & 5) args.out_gradient = NULL, args.out_gradient_bf16 = store(dout.value, WIDTH, ROWS, WIDTH);
        if (way & 2) args.in_gradient = NULL, args.in_gradient_bf16 = room(ROWS, WIDTH);
        if (way == 4) args.in_gradient = NULL, args.in_gradient_bf16 = (uint16_t *)args.out_gradient_bf16;
        cr_assert_eq(backend->activation_backward(&args), GW_OK);
        if (args.in_gradient) {
            cr_assert_eq(memcmp(din.value, added.value, NUMBERS * sizeof(float)), 0, "way %d", way);
        } else {
            expect_rounded("a derivative", args.in_gradient_bf16, din.value, WIDTH, ROWS, WIDTH);
            expect_gradient("a derivative", args.in_gradient_bf16, din, WIDTH, WIDTH);
        }
    }
}

Test(cuda, derivatives_of_bf16_tensors) {
    test_emulated(check_derivatives_stored, GW_OP_activation_backward, TEST_ORDERS);
}

static gw_dropout_args dropping(bool drops) {
    return (gw_dropout_args){
        .count = NUMBERS, .width = WIDTH, .probability = drops ? 0.25f : 0.0f, .seed = 7, .step = 3, .site = 5};
}

static void check_sums_stored(const gw_backend *backend) {
    for (int drops = 0; drops < 2; drops++) {
        test_array in = test_normal(NUMBERS, 1.0), residual = test_normal(NUMBERS, 1.0), out = test_zeros(NUMBERS);
        test_array again = test_zeros(NUMBERS);
        gw_dropout_args args = dropping(drops);
        round_both(in);
        args.in = in.value, args.residual = residual.value, args.out = out.value;
        cr_assert(backend->takes_bf16(GW_OP_dropout_add, &args));
        cr_assert_eq(backend->dropout_add(&args), GW_OK);
        args.in = NULL, args.in_bf16 = store(in.value, WIDTH, ROWS, WIDTH), args.out = again.value;
        cr_assert_eq(backend->dropout_add(&args), GW_OK);
        cr_assert_eq(memcmp(out.value, again.value, NUMBERS * sizeof(float)), 0);
    }
}

Test(cuda, sums_with_bf16_tensors) {
    test_emulated(check_sums_stored, GW_OP_dropout_add, TEST_ORDERS);
}

static void check_sums_backward_stored(const gw_backend *backend) {
    for (int drops = 0; drops < 2; drops++) {
        test_array dout = test_normal(NUMBERS, 1.0), din = test_zeros(NUMBERS), dresidual = test_zeros(NUMBERS);
        gw_dropout_args args = dropping(drops);
        args.out_gradient = dout.value, args.in_gradient = din.value;
        cr_assert_eq(backend->dropout_add_backward(&args), GW_OK);
        args.in_gradient = NULL, args.in_gradient_bf16 = room(ROWS, WIDTH);
        args.residual_gradient = dresidual.value, args.overwrites = true;
        cr_assert_eq(backend->dropout_add_backward(&args), GW_OK);
        expect_rounded("a sum's gradient", args.in_gradient_bf16, din.value, WIDTH, ROWS, WIDTH);
        cr_assert_eq(memcmp(dout.value, dresidual.value, NUMBERS * sizeof(float)), 0);
        args.in_gradient_bf16 = room(ROWS, WIDTH), args.residual_gradient = dout.value; // which stays
        cr_assert_eq(backend->dropout_add_backward(&args), GW_OK);
        expect_rounded("a sum's gradient", args.in_gradient_bf16, din.value, WIDTH, ROWS, WIDTH);
        test_unchanged("gradient of the residual", dout);
    }
}

Test(cuda, sums_with_bf16_gradients) {
    test_emulated(check_sums_backward_stored, GW_OP_dropout_add_backward, TEST_ORDERS);
}

// A sum and its norm in one launch, beside two.
static gw_layer_norm_args norm_of_sum(const gw_backend *backend, test_array weight, float *sum) {
    gw_layer_norm_args args = {.rows = ROWS,
                               .width = WIDTH,
                               .epsilon = 1e-5f,
                               .in = sum,
                               .weight = weight.value,
                               .bias = weight.value,
                               .out = test_zeros(NUMBERS).value,
                               .mean = test_zeros(ROWS).value,
                               .inverse_deviation = test_zeros(ROWS).value,
                               .overwrites = true,
                               .out_bf16 = room(ROWS, WIDTH)};
    args.scratch = test_alloc(backend->scratch(GW_OP_layer_norm_backward, &args), sizeof(float));
    return args;
}

static void expect_same(const char *what, const float *wanted, const float *got, int64_t count) {
    cr_assert_eq(memcmp(wanted, got, (size_t)count * sizeof *got), 0, "%s differs", what);
}

static void check_norms_of_sums(const gw_backend *backend) {
    test_array in = test_normal(NUMBERS, 1.0), residual = test_normal(NUMBERS, 1.0), weight = test_normal(WIDTH, 1.0);
    gw_dropout_args sum[2] = {dropping(true), dropping(true)};
    gw_layer_norm_args norm[2];
    for (int joined = 0; joined < 2; joined++) {
        gw_dropout_args *s = &sum[joined];
        s->in_bf16 = store(in.value, WIDTH, ROWS, WIDTH), s->residual = residual.value;
        s->out = test_zeros(NUMBERS).value;
        norm[joined] = norm_of_sum(backend, weight, s->out);
        if (joined) norm[joined].sum = s;
        else cr_assert_eq(backend->dropout_add(s), GW_OK);
        cr_assert_eq(backend->layer_norm(&norm[joined]), GW_OK);
    }
    expect_same("the sum", sum[0].out, sum[1].out, NUMBERS);
    expect_same("its norm", norm[0].out, norm[1].out, NUMBERS);
    expect_same("the deviation", norm[0].inverse_deviation, norm[1].inverse_deviation, ROWS);
    expect_rounded("a norm of a sum", norm[1].out_bf16, norm[0].out, WIDTH, ROWS, WIDTH);
}

Test(cuda, norms_of_sums) {
    test_emulated(check_norms_of_sums, GW_OP_layer_norm, TEST_ORDERS);
}

static void check_norms_of_sums_backward(const gw_backend *backend) {
    test_array x = test_normal(NUMBERS, 1.0), dout = test_normal(NUMBERS, 1.0), weight = test_normal(WIDTH, 1.0);
    gw_layer_norm_args norm[2];
    gw_dropout_args sum[2] = {dropping(true), dropping(true)};
    float *din = test_zeros(NUMBERS).value;
    for (int joined = 0; joined < 2; joined++) {
        norm[joined] = norm_of_sum(backend, weight, x.value);
        cr_assert_eq(backend->layer_norm(&norm[joined]), GW_OK);
        norm[joined].out_gradient = dout.value;
        norm[joined].in_gradient = test_zeros(NUMBERS).value;
        norm[joined].weight_gradient = test_zeros(WIDTH).value;
        norm[joined].bias_gradient = test_zeros(WIDTH).value;
        sum[joined].out_gradient = sum[joined].residual_gradient = norm[joined].in_gradient;
        if (joined) sum[joined].in_gradient_bf16 = room(ROWS, WIDTH), norm[joined].sum = &sum[joined];
        else sum[joined].in_gradient = din;
        cr_assert_eq(backend->layer_norm_backward(&norm[joined]), GW_OK);
        if (!joined) cr_assert_eq(backend->dropout_add_backward(&sum[joined]), GW_OK);
    }
    expect_same("gradient of the sum", norm[0].in_gradient, norm[1].in_gradient, NUMBERS);
    expect_same("gradient of the weights", norm[0].weight_gradient, norm[1].weight_gradient, WIDTH);
    expect_rounded("gradient of what is dropped", sum[1].in_gradient_bf16, din, WIDTH, ROWS, WIDTH);
}

Test(cuda, norms_of_sums_backward) {
    test_emulated(check_norms_of_sums_backward, GW_OP_layer_norm_backward, TEST_ORDERS);
}
