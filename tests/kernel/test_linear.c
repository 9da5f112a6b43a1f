// SPDX-License-Identifier: MIT
// linear: packed weights in f32 and bf16, every epilogue, chunks of columns, and rows whose bits do not depend on R.
#include "base/parallel.h"
#include "reference/ref.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

// At most twice the error of the plain formula in f32 on the same numbers (sums of K terms).
static const double LIMIT = 7e-7;

static const struct {
    int64_t rows, n, k;
} SHAPES[] = {{1, 9, 1}, {3, 5, 7}, {64, 16, 33}, {65, 1, 40}, {130, 67, 129}, {15, 1000, 64}, {97, 769, 24}};

static void apply(gw_epilogue epilogue, int64_t count, double *value) {
    switch (epilogue) {
    case GW_EPILOGUE_NONE: return;
    case GW_EPILOGUE_GELU: ref_gelu(count, value, value); return;
    case GW_EPILOGUE_GELU_EXACT: ref_gelu_exact(count, value, value); return;
    case GW_EPILOGUE_RELU: ref_relu(count, value, value); return;
    case GW_EPILOGUE_TANH: ref_tanh(count, value, value); return;
    }
}

static gw_packed *pack(test_array weight, int64_t n, int64_t k, gw_precision precision) {
    gw_packed *packed;
    cr_assert(gw_packed_new(weight.value, n, k, precision, &packed) == GW_OK, "%s", gw_message());
    return packed;
}

static void check_layer(const gw_backend *backend, int shape, gw_precision precision, gw_epilogue epilogue) {
    const int64_t rows = SHAPES[shape].rows, n = SHAPES[shape].n, k = SHAPES[shape].k;
    const bool has_bias = (shape + (int)epilogue) % 3 > 0;
    test_array in = test_normal(rows * k, 1.0), weight = test_normal(n * k, 1.0), bias = test_normal(n, 1.0);
    test_array out = test_zeros(rows * n);
    gw_packed *packed = pack(weight, n, k, precision);
    const gw_linear_args args = {.rows = rows,
                                 .weight = packed,
                                 .in = in.value,
                                 .bias = has_bias ? bias.value : NULL,
                                 .epilogue = epilogue,
                                 .out = out.value,
                                 .scratch = test_alloc(gw_linear_scratch(gw_threads(), packed), sizeof(float))};
    cr_assert(backend->linear(&args) == GW_OK);
    test_unchanged("in", in);
    if (precision == GW_BF16) test_round_to_bf16(in), test_round_to_bf16(weight);
    ref_gemm(false, true, false, rows, n, k, in.wide, weight.wide, has_bias ? bias.wide : NULL, out.wide);
    apply(epilogue, rows * n, out.wide);
    test_compare("out", out, LIMIT);
    gw_packed_free(packed);
}

// The first rows of a layer of more rows, bit for bit.
static void check_rows_alone(const gw_backend *backend, int64_t n, int64_t k, gw_precision precision) {
    enum { MOST = 200 };
    static const int64_t ROWS[] = {1, 2, 15, 16, 17, 31, 33, 48, 63, 64, 65, 80, 127, 128, 129, 199};
    test_array in = test_normal(MOST * k, 1.0), weight = test_normal(n * k, 1.0);
    test_array all = test_zeros(MOST * n), some = test_zeros(MOST * n);
    gw_packed *packed = pack(weight, n, k, precision);
    gw_linear_args args = {.rows = MOST,
                           .weight = packed,
                           .in = in.value,
                           .out = all.value,
                           .scratch = test_alloc(gw_linear_scratch(gw_threads(), packed), sizeof(float))};
    cr_assert(backend->linear(&args) == GW_OK);
    args.out = some.value;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        args.rows = ROWS[i];
        cr_assert(backend->linear(&args) == GW_OK);
        cr_assert(memcmp(some.value, all.value, (size_t)(args.rows * n) * sizeof(float)) == 0,
                  "%d rows of N %d, K %d have other bits than among %d", (int)args.rows, (int)n, (int)k, MOST);
    }
    gw_packed_free(packed);
}

void check_linear(const gw_backend *backend) {
    for (gw_precision precision = GW_F32; precision <= (gw_has_bf16() ? GW_BF16 : GW_F32); precision++) {
        for (int shape = 0; shape < (int)(sizeof SHAPES / sizeof SHAPES[0]); shape++)
            for (gw_epilogue epilogue = GW_EPILOGUE_NONE; epilogue <= GW_EPILOGUE_TANH; epilogue++)
                check_layer(backend, shape, precision, epilogue);
        check_rows_alone(backend, 128, 381, precision);
        check_rows_alone(backend, 900, 40, precision);
        check_rows_alone(backend, 2, 64, precision);
    }
}

// oneDNN's choice of a kernel depends on the rows where it has no AVX-512; it reads the variable at its first use.
Test(kernel, linear_where_onednn_has_avx2_only) {
    setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
    test_restart();
    check_linear(gw_kernels());
    test_release();
}
