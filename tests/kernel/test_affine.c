// SPDX-License-Identifier: MIT
// affine forward and backward, with and without an activation.
#include "reference/ref.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <string.h>

// At most twice the error of the plain formula in f32 on the same numbers.
static const double OUT_LIMIT = 2e-7, GRADIENT_LIMIT = 5e-7;

static const struct {
    int64_t rows, width;
    float slope;
} CASES[] = {{1, 1, 0.1f}, {3, 5, 0}, {7, 64, 1}, {65, 129, 0.1f}, {500, 32, 0.1f}};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

void check_affine(const gw_backend *backend) {
    for (int c = 0; c < 2 * CASE_COUNT; c++) {
        const int64_t rows = CASES[c / 2].rows, width = CASES[c / 2].width;
        const bool alias = c % 2;
        test_array in = test_normal(rows * width, 2.0), weight = test_normal(width, 1.0),
                   bias = test_normal(width, 1.0);
        test_array out = alias ? in : test_zeros(rows * width);
        double *want = test_alloc(rows * width, sizeof *want);
        ref_affine(rows, width, (double)CASES[c / 2].slope, in.wide, weight.wide, bias.wide, want);
        const gw_affine_args args = {.rows = rows,
                                     .width = width,
                                     .slope = CASES[c / 2].slope,
                                     .in = in.value,
                                     .weight = weight.value,
                                     .bias = bias.value,
                                     .out = out.value};
        cr_assert(backend->affine(&args) == GW_OK);
        memcpy(out.wide, want, (size_t)(rows * width) * sizeof *want);
        test_compare("out", out, OUT_LIMIT);
        if (!alias) test_unchanged("in", in);
    }
}

void check_affine_backward(const gw_backend *backend) {
    for (int c = 0; c < 2 * CASE_COUNT; c++) {
        const int64_t rows = CASES[c / 2].rows, width = CASES[c / 2].width;
        test_array in = test_normal(rows * width, 2.0), weight = test_normal(width, 1.0),
                   bias = test_normal(width, 1.0), dout = test_normal(rows * width, 1.0),
                   din = test_normal(rows * width, 1.0), dweight = test_normal(width, 1.0),
                   dbias = test_normal(width, 1.0);
        gw_affine_args args = {.rows = rows,
                               .width = width,
                               .slope = CASES[c / 2].slope,
                               .in = in.value,
                               .weight = weight.value,
                               .bias = bias.value,
                               .out_gradient = dout.value,
                               .in_gradient = din.value,
                               .weight_gradient = dweight.value,
                               .bias_gradient = dbias.value,
                               .overwrites = c % 2};
        test_array scratch = test_zeros(backend->scratch(GW_OP_affine_backward, &args));
        args.scratch = scratch.value;
        if (args.overwrites) memset(din.wide, 0, (size_t)din.count * sizeof *din.wide);
        cr_assert(backend->affine_backward(&args) == GW_OK);
        ref_affine_backward(rows, width, (double)args.slope, in.wide, weight.wide, bias.wide, dout.wide, din.wide,
                            dweight.wide, dbias.wide);
        test_compare("in_gradient", din, GRADIENT_LIMIT);
        test_compare("weight_gradient", dweight, GRADIENT_LIMIT);
        test_compare("bias_gradient", dbias, GRADIENT_LIMIT);
        test_unchanged("out_gradient", dout);
    }
}

enum { ROWS = 3, WIDTH = 4 };
typedef struct {
    const double *in, *weight, *bias, *dout;
} affine_loss;

static double loss_of(const void *context) {
    const affine_loss *loss = context;
    double out[ROWS * WIDTH], sum = 0.0;
    ref_affine(ROWS, WIDTH, 0.1, loss->in, loss->weight, loss->bias, out);
    for (int i = 0; i < ROWS * WIDTH; i++) sum += out[i] * loss->dout[i];
    return sum;
}

Test(reference, affine_gradient) {
    test_restart();
    test_array in = test_normal(ROWS * WIDTH, 2.0), weight = test_normal(WIDTH, 1.0), bias = test_normal(WIDTH, 1.0);
    test_array dout = test_normal(ROWS * WIDTH, 1.0), din = test_zeros(ROWS * WIDTH), dweight = test_zeros(WIDTH),
               dbias = test_zeros(WIDTH);
    ref_affine_backward(ROWS, WIDTH, 0.1, in.wide, weight.wide, bias.wide, dout.wide, din.wide, dweight.wide,
                        dbias.wide);
    const affine_loss loss = {in.wide, weight.wide, bias.wide, dout.wide};
    test_central_differences("in", loss_of, &loss, in.wide, din.wide, ROWS * WIDTH);
    test_central_differences("weight", loss_of, &loss, weight.wide, dweight.wide, WIDTH);
    test_central_differences("bias", loss_of, &loss, bias.wide, dbias.wide, WIDTH);
    test_release();
}
