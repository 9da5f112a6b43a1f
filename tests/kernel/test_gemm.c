// SPDX-License-Identifier: MIT
// gemm: all three forms of a linear layer, in place and with packed operands of f32 and bf16, and rows whose bits do
// not depend on M.
#include "base/parallel.h"
#include "kernels/cpu/matmul/gemm_packed.h"
#include "kernels/cpu/matmul/gemm_strips.h"
#include "reference/ref.h"
#include "tests/kernel/emulated.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

// At most twice the error of the plain formula in f32 on the same numbers (sums of K terms).
static const double LIMIT = 7e-7, SUM_LIMIT = 8e-7;

typedef struct {
    int64_t m, n, k;
} gemm_shape;
static const gemm_shape SHAPES[] = {{1, 9, 1}, {3, 5, 7}, {1, 64, 33}, {65, 1, 40}, {130, 67, 129}, {150, 128, 200}};
enum { SHAPE_CASES = sizeof SHAPES / sizeof SHAPES[0] };

// Dense copy of `rows` stored rows of `columns` numbers, stride columns + gap.
static double *dense_rows(test_array array, int64_t rows, int64_t columns, int64_t gap) {
    double *dense = test_alloc(rows * columns, sizeof *dense);
    for (int64_t i = 0; i < rows * columns; i++) dense[i] = array.wide[i / columns * (columns + gap) + i % columns];
    return dense;
}

static test_array give_scratch(const gw_backend *backend, gw_gemm_args *args) {
    const test_array capacity = test_zeros(backend->scratch(GW_OP_gemm, args));
    args->scratch = capacity.value;
    return capacity;
}

// Its sentinels.
static void assert_capacity(test_array capacity) {
    for (int64_t i = 0; i < capacity.count; i++) capacity.wide[i] = (double)capacity.value[i];
    test_unchanged("scratch", capacity);
}

// way: bit 0 transpose_a, bit 1 transpose_b, bit 2 accumulate, bit 3 bias
static void check_product(const gw_backend *backend, gemm_shape s, gw_precision precision, int way, int64_t gap) {
    const bool ta = way & 1, tb = way & 2, accumulate = way & 4, bias = way & 8;
    const int64_t a_rows = ta ? s.k : s.m, a_columns = ta ? s.m : s.k, b_rows = tb ? s.n : s.k,
                  b_columns = tb ? s.k : s.n;
    test_array a = test_normal(a_rows * (a_columns + gap), 1.0), b = test_normal(b_rows * (b_columns + gap), 1.0);
    test_array c = test_normal(s.m * (s.n + gap), 1.0), shift = test_normal(s.n, 1.0);
    gw_gemm_args args = {.transpose_a = ta,
                         .transpose_b = tb,
                         .accumulate = accumulate,
                         .m = s.m,
                         .n = s.n,
                         .k = s.k,
                         .a = a.value,
                         .a_stride = a_columns + gap,
                         .b = b.value,
                         .b_stride = b_columns + gap,
                         .c = c.value,
                         .c_stride = s.n + gap,
                         .bias = bias ? shift.value : NULL,
                         .precision = precision};
    const test_array capacity = give_scratch(backend, &args), sum = test_normal(s.m, 1.0);
    if (ta && precision == GW_BF16) {
        args.a_sum = sum.value;
        ref_column_sum(s.k, s.m, dense_rows(a, a_rows, a_columns, gap), sum.wide);
    }
    cr_assert(backend->gemm(&args) == GW_OK);
    assert_capacity(capacity);
    test_unchanged("a", a);
    test_unchanged("b", b);
    test_compare("a_sum", sum, test_sum_limit(SUM_LIMIT, s.k));
    if (precision == GW_BF16) test_round_to_bf16(a), test_round_to_bf16(b);
    double *want = dense_rows(c, s.m, s.n, gap);
    ref_gemm(ta, tb, accumulate, s.m, s.n, s.k, dense_rows(a, a_rows, a_columns, gap),
             dense_rows(b, b_rows, b_columns, gap), bias ? shift.wide : NULL, want);
    for (int64_t i = 0; i < s.m * s.n; i++) c.wide[i / s.n * (s.n + gap) + i % s.n] = want[i];
    test_compare("c", c, test_sum_limit(LIMIT, s.k));
    test_release();
}

// The first rows of a product of `most` rows, bit for bit. Where a is transposed its columns are the rows of c.
static void check_rows(const gw_backend *backend, int64_t most, int64_t n, int64_t k, gw_precision precision,
                       bool transpose_a, bool transpose_b) {
    static const int64_t ROWS[] = {1, 2, 3, 5, 6, 7, 13, 15, 16, 17, 31, 48, 65, 95, 96, 97, 128, 129, 255, 257};
    test_array a = test_normal(most * k, 1.0), b = test_normal(n * k, 1.0), bias = test_normal(n, 1.0);
    test_array all = test_zeros(most * n), some = test_zeros(most * n);
    gw_gemm_args args = {.transpose_a = transpose_a,
                         .transpose_b = transpose_b,
                         .m = most,
                         .n = n,
                         .k = k,
                         .a = a.value,
                         .a_stride = transpose_a ? most : k,
                         .b = b.value,
                         .b_stride = transpose_b ? k : n,
                         .c = all.value,
                         .c_stride = n,
                         .bias = bias.value,
                         .precision = precision};
    (void)give_scratch(backend, &args);
    const int threads = gw_threads();
    gw_set_threads(1);
    cr_assert(backend->gemm(&args) == GW_OK);
    gw_set_threads(threads);
    args.c = some.value;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        args.m = ROWS[i];
        cr_assert(backend->gemm(&args) == GW_OK);
        for (int64_t row = 0; row < args.m; row++)
            cr_assert(memcmp(some.value + row * n, all.value + row * n, (size_t)n * sizeof(float)) == 0,
                      "row %d of N %d, K %d has other bits where M is %d than where it is %d", (int)row, (int)n, (int)k,
                      (int)args.m, (int)most);
    }
    test_release();
}

// c = (a b [+ c]) f'(before)
static void check_derivative(const gw_backend *backend, gemm_shape s, gw_precision precision, gw_activation function) {
    test_array a = test_normal(s.m * s.k, 1.0), b = test_normal(s.k * s.n, 1.0), before = test_normal(s.m * s.n, 1.5);
    test_array c = test_normal(s.m * s.n, 1.0);
    gw_gemm_args args = {.accumulate = s.m % 2 == 0,
                         .m = s.m,
                         .n = s.n,
                         .k = s.k,
                         .a = a.value,
                         .a_stride = s.k,
                         .b = b.value,
                         .b_stride = s.n,
                         .c = c.value,
                         .c_stride = s.n,
                         .precision = precision,
                         .backward_of = function,
                         .before = before.value};
    (void)give_scratch(backend, &args);
    cr_assert(backend->gemm(&args) == GW_OK);
    test_unchanged("before", before);
    if (precision == GW_BF16) test_round_to_bf16(a), test_round_to_bf16(b);
    ref_gemm(false, false, args.accumulate, s.m, s.n, s.k, a.wide, b.wide, NULL, c.wide);
    double *gradient = test_alloc(s.m * s.n, sizeof *gradient);
    for (int64_t i = 0; i < s.m * s.n; i++) gradient[i] = 0.0;
    (function == GW_ACTIVATION_GELU ? ref_gelu_backward : ref_silu_backward)(s.m * s.n, before.wide, c.wide, gradient);
    memcpy(c.wide, gradient, (size_t)(s.m * s.n) * sizeof *gradient);
    test_compare("c", c, test_sum_limit(LIMIT, s.k));
    test_release();
}

static void check_derivatives(const gw_backend *backend, gw_precision precision) {
    static const gemm_shape WHOLE[] = {{5, 16, 9}, {70, 64, 130}}, ODD = {33, 21, 40};
    for (int i = 0; i < 2; i++) check_derivative(backend, WHOLE[i], precision, GW_ACTIVATION_GELU);
    check_derivative(backend, ODD, precision, GW_ACTIVATION_GELU);
    check_derivative(backend, ODD, precision, GW_ACTIVATION_SILU);
}

static void check_precision(const gw_backend *backend, gw_precision precision) {
    // No rows; more blocks of n, of k and of what is packed at once than one, cut in the middle.
    static const gemm_shape MORE[] = {{0, 70, 70}, {3, 1000, 1500}, {1500, 70, 3}, {3, 2, 12300}, {2, 12300, 3}};
    for (int c = 0; c < SHAPE_CASES; c++)
        for (int way = 0; way < 16; way++) check_product(backend, SHAPES[c], precision, way, c % 2 ? 3 : 0);
    for (int c = 0; c < (int)(sizeof MORE / sizeof MORE[0]); c++)
        for (int form = 0; form < 3; form++)
            check_product(backend, MORE[c], precision, form + (c + form) % 4 * 4, c % 2);
    static const int64_t WIDTHS[][2] = {{1, 128}, {2, 10}, {10, 384}, {128, 381}, {381, 128}, {900, 40}};
    for (size_t i = 0; i < sizeof WIDTHS / sizeof WIDTHS[0]; i++)
        for (int way = 0; way < (test_on_gpu() ? 2 : 3); way++) // a GPU's sums of dW may depend on its rows
            check_rows(backend, 300, WIDTHS[i][0], WIDTHS[i][1], precision, way == 2, way == 0);
    for (int way = 0; way < 2; way++) check_rows(backend, 800, 70, 130, precision, false, way == 0); // tall tiles
}

// What only whole ops do: derivatives, and adding a product of a depth of 0.
static void check_ends(const gw_backend *backend, gw_precision precision) {
    check_derivatives(backend, precision);
    for (int way = 4; way < 8; way++) check_product(backend, (gemm_shape){3, 40, 0}, precision, way, 3);
}

static test_array result_of(const gw_backend *backend, gw_activation function, test_array in) {
    if (function == GW_ACTIVATION_NONE) return in;
    const test_array out = test_zeros(in.count);
    const gw_activation_args args = {.kind = function, .count = in.count, .in = in.value, .out = out.value};
    cr_assert(backend->activation(&args) == GW_OK);
    return out;
}

// Functions of the operands have the bits of the op and a product of its result, and so have the sums.
static void check_functions(const gw_backend *backend, const gw_backend *ops, gw_activation of_a, gw_activation of_b) {
    enum { M = 100, N = 67, K = 810 };
    for (int form = 0; form < 3; form++) {
        const bool ta = form == 1, tb = form == 2;
        test_array a = test_normal(M * K, 2.0), b = test_normal(K * N, 2.0), c[2], sum[2];
        gw_gemm_args args = {.transpose_a = ta,
                             .transpose_b = tb,
                             .m = M,
                             .n = N,
                             .k = K,
                             .a_stride = ta ? M : K,
                             .b_stride = tb ? K : N,
                             .c_stride = N,
                             .precision = GW_BF16};
        (void)give_scratch(backend, &args);
        for (int whole = 0; whole < 2; whole++) {
            c[whole] = test_zeros(M * N), sum[whole] = test_zeros(M);
            args.a = whole ? result_of(ops, of_a, a).value : a.value;
            args.b = whole ? result_of(ops, of_b, b).value : b.value;
            args.of_a = whole ? GW_ACTIVATION_NONE : of_a;
            args.of_b = whole ? GW_ACTIVATION_NONE : of_b;
            args.c = c[whole].value;
            args.a_sum = ta ? sum[whole].value : NULL;
            cr_assert(backend->gemm(&args) == GW_OK);
        }
        cr_assert(memcmp(c[0].value, c[1].value, sizeof(float) * M * N) == 0, "form %d of functions %d and %d differs",
                  form, of_a, of_b);
        cr_assert(memcmp(sum[0].value, sum[1].value, sizeof(float) * M) == 0);
        test_release();
    }
}

static void check_all_functions(const gw_backend *backend, const gw_backend *ops) {
    for (gw_activation f = GW_ACTIVATION_GELU; f <= GW_ACTIVATION_GELU_QUICK; f++) {
        check_functions(backend, ops, f, GW_ACTIVATION_NONE);
        check_functions(backend, ops, GW_ACTIVATION_NONE, f);
    }
}

void check_gemm(const gw_backend *backend) {
    for (gw_precision precision = GW_F32; precision <= (gw_has_bf16() ? GW_BF16 : GW_F32); precision++)
        check_precision(backend, precision), check_ends(backend, precision);
    if (gw_has_bf16()) check_all_functions(backend, backend);
}

// Small ones, in every way.
static void check_few(const gw_backend *backend) {
    enum { SMALL = 4 };
    for (gw_precision precision = GW_F32; precision <= GW_BF16; precision++) {
        for (int c = 0; c < SMALL; c++)
            for (int way = 0; way < 16; way++) check_product(backend, SHAPES[c], precision, way, c % 2 ? 3 : 0);
        check_ends(backend, precision);
    }
}

Test(cuda, gemm_in_any_order) {
    test_emulated(check_few, GW_OP_gemm, TEST_ORDERS);
}

// What processors with instructions for tiles do.
static void finish(float *c, int64_t stride, const float *tile, int64_t tile_stride, int64_t rows, int64_t columns,
                   const float *bias, bool add) {
    for (int64_t row = 0; row < rows; row++)
        for (int64_t i = 0; i < columns; i++) {
            float *out = &c[row * stride + i];
            *out = tile[row * tile_stride + i] + (bias ? bias[i] : 0.0f) + (add ? *out : 0.0f);
        }
}

void gw_operand_pack_baseline(const gw_operand *operand); // kernels/cpu/isa/operand.c

static gw_status gemm_by_onednn(const gw_gemm_args *args) {
    return gw_gemm_packed(args, &(gw_gemm_parts){.pack = gw_operand_pack_baseline, .finish = finish});
}

Test(kernel, gemm_of_bf16_by_onednn) {
    if (!gw_has_bf16()) cr_skip_test("no bf16 instructions");
    test_restart();
    const gw_backend onednn = {.name = "onednn", .scratch = gw_kernels()->scratch, .gemm = gemm_by_onednn};
    check_precision(&onednn, GW_BF16);
    int count;
    const gw_backend *const *all = gw_all_backends(&count);
    check_all_functions(&onednn, all[count - 1]); // baseline
    test_release();
}

// What processors other than x86-64 do.
static gw_status gemm_by_strips(const gw_gemm_args *args) {
    for (int64_t i = 0; args->bias && i < args->m * args->n; i++) {
        float *c = args->c + i / args->n * args->c_stride + i % args->n;
        *c = (args->accumulate ? *c : 0.0f) + args->bias[i % args->n];
    }
    gw_strips_gemm(args, args->accumulate || args->bias);
    return GW_OK;
}

Test(kernel, gemm_by_strips) {
    test_restart();
    check_precision(&(gw_backend){.name = "strips", .scratch = gw_kernels()->scratch, .gemm = gemm_by_strips}, GW_F32);
    test_release();
}

Test(kernel, packed_strips_say_the_same) {
    static const int64_t SHAPES_OF_LAYERS[][3] = {{1, 1, 1}, {7, 12, 256}, {8, 13, 257}, {64, 100, 700}};
    test_restart();
    for (size_t i = 0; i < sizeof SHAPES_OF_LAYERS / sizeof SHAPES_OF_LAYERS[0]; i++) {
        const int64_t m = SHAPES_OF_LAYERS[i][0], n = SHAPES_OF_LAYERS[i][1], k = SHAPES_OF_LAYERS[i][2];
        const int64_t stride = n + 3;
        test_array a = test_normal(m * k, 1.0), w = test_normal(n * k, 1.0), want = test_normal(m * stride, 1.0);
        test_array packed = test_zeros(gw_strips_bytes(n, k) / (int64_t)sizeof(float)), c = test_zeros(m * stride);
        memcpy(c.value, want.value, (size_t)(m * stride) * sizeof(float));
        gw_strips_gemm(&(gw_gemm_args){.transpose_b = true,
                                       .m = m,
                                       .n = n,
                                       .k = k,
                                       .a = a.value,
                                       .a_stride = k,
                                       .b = w.value,
                                       .b_stride = k,
                                       .c = want.value,
                                       .c_stride = stride},
                       false);
        gw_strips_pack(w.value, n, k, packed.value);
        gw_strips_linear(a.value, packed.value, m, n, k, c.value, stride);
        cr_assert(memcmp(c.value, want.value, (size_t)(m * stride) * sizeof(float)) == 0);
    }
    test_release();
}

// oneDNN's choice of a kernel depends on M where it has no AVX-512; it reads the variable at its first use.
Test(kernel, gemm_rows_where_onednn_has_avx2_only) {
    setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
    test_restart();
    check_gemm(gw_kernels());
    test_release();
}
