// SPDX-License-Identifier: MIT
// layer_norm forward and backward, with its mean and without (RMS norm).
#include "reference/ref.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <string.h>

// At most twice the error of the plain formula in f32 on the same numbers.
static const double OUT_LIMIT = 3e-7, GRADIENT_LIMIT = 5e-7;
static const float EPSILON = 1e-5f;

typedef struct {
    int64_t rows, width;
} norm_shape;
static const norm_shape SHAPES[] = {{1, 1}, {3, 5}, {7, 64}, {65, 129}, {200, 768}};
enum { SHAPE_CASES = sizeof SHAPES / sizeof SHAPES[0] };

// Rows with an offset of their own, and one row of equal numbers.
static test_array make_input(int64_t rows, int64_t width) {
    test_array in = test_normal(rows * width, 2.0);
    for (int64_t i = 0; i < rows * width; i++)
        in.wide[i] = in.value[i] = i / width == 1 ? 2.5f : in.value[i] + (float)(i / width % 4);
    return in;
}

static void check_shape(const gw_backend *backend, int64_t rows, int64_t width, bool alias) {
    test_array in = make_input(rows, width), weight = test_normal(width, 1.0), bias = test_normal(width, 1.0);
    test_array out = alias ? in : test_zeros(rows * width), mean = test_zeros(rows), deviation = test_zeros(rows);
    const gw_layer_norm_args args = {.rows = rows,
                                     .width = width,
                                     .epsilon = EPSILON,
                                     .in = in.value,
                                     .weight = weight.value,
                                     .bias = bias.value,
                                     .out = out.value,
                                     .mean = mean.value,
                                     .inverse_deviation = deviation.value};
    double *want = test_alloc(rows * width, sizeof *want);
    ref_layer_norm(rows, width, EPSILON, in.wide, weight.wide, bias.wide, want, mean.wide, deviation.wide);
    cr_assert(backend->layer_norm(&args) == GW_OK);
    for (int64_t i = 0; i < rows * width; i++) out.wide[i] = want[i];
    test_compare("out", out, OUT_LIMIT);
    test_compare("mean", mean, OUT_LIMIT);
    test_compare("inverse deviation", deviation, OUT_LIMIT);
    if (!alias) test_unchanged("in", in);
}

static void check_rms_norm(const gw_backend *backend, int64_t rows, int64_t width) {
    test_array in = make_input(rows, width), weight = test_normal(width, 1.0), out = test_zeros(rows * width);
    test_array dout = test_normal(rows * width, 1.0), din = test_normal(rows * width, 1.0),
               dweight = test_normal(width, 1.0), mean = test_zeros(rows), deviation = test_zeros(rows);
    gw_layer_norm_args args = {.rows = rows,
                               .width = width,
                               .epsilon = EPSILON,
                               .in = in.value,
                               .weight = weight.value,
                               .out = out.value,
                               .mean = mean.value,
                               .inverse_deviation = deviation.value,
                               .out_gradient = dout.value,
                               .in_gradient = din.value,
                               .weight_gradient = dweight.value};
    args.scratch = test_alloc(backend->scratch(GW_OP_layer_norm_backward, &args), sizeof(float));
    cr_assert(backend->layer_norm(&args) == GW_OK);
    cr_assert(backend->layer_norm_backward(&args) == GW_OK);
    ref_rms_norm(rows, width, EPSILON, in.wide, weight.wide, out.wide);
    ref_rms_norm_backward(rows, width, EPSILON, in.wide, weight.wide, dout.wide, din.wide, dweight.wide);
    test_compare("out", out, OUT_LIMIT);
    test_compare("mean", mean, 0.0);
    test_compare("in_gradient", din, GRADIENT_LIMIT);
    test_compare("weight_gradient", dweight, GRADIENT_LIMIT);
}

void check_layer_norm(const gw_backend *backend) {
    for (int c = 0; c < SHAPE_CASES; c++) check_rms_norm(backend, SHAPES[c].rows, SHAPES[c].width);
    for (int c = 0; c < 2 * SHAPE_CASES; c++) check_shape(backend, SHAPES[c / 2].rows, SHAPES[c / 2].width, c % 2);
}

void check_layer_norm_backward(const gw_backend *backend) {
    for (int c = 0; c < 2 * SHAPE_CASES; c++) {
        const int64_t rows = SHAPES[c / 2].rows, width = SHAPES[c / 2].width;
        const bool overwrites = c % 2;
        test_array in = make_input(rows, width), weight = test_normal(width, 1.0), bias = test_normal(width, 1.0),
                   dout = test_normal(rows * width, 1.0);
        test_array din = test_normal(rows * width, 1.0), dweight = test_normal(width, 1.0),
                   dbias = test_normal(width, 1.0);
        test_array mean = test_zeros(rows), deviation = test_zeros(rows);
        test_array scratch = test_zeros(
            backend->scratch(GW_OP_layer_norm_backward, &(gw_layer_norm_args){.rows = rows, .width = width}));
        double *out = test_alloc(rows * width, sizeof *out);
        ref_layer_norm(rows, width, EPSILON, in.wide, weight.wide, dout.wide, out, mean.wide, deviation.wide);
        for (int64_t i = 0; i < rows; i++)
            mean.value[i] = (float)mean.wide[i], deviation.value[i] = (float)deviation.wide[i];
        const gw_layer_norm_args args = {.rows = rows,
                                         .width = width,
                                         .epsilon = EPSILON,
                                         .in = in.value,
                                         .weight = weight.value,
                                         .bias = bias.value,
                                         .mean = mean.value,
                                         .inverse_deviation = deviation.value,
                                         .out_gradient = dout.value,
                                         .in_gradient = din.value,
                                         .weight_gradient = dweight.value,
                                         .bias_gradient = dbias.value,
                                         .overwrites = overwrites,
                                         .scratch = scratch.value};
        if (overwrites) memset(din.wide, 0, (size_t)din.count * sizeof *din.wide);
        cr_assert(backend->layer_norm_backward(&args) == GW_OK);
        ref_layer_norm_backward(rows, width, EPSILON, in.wide, weight.wide, dout.wide, din.wide, dweight.wide,
                                dbias.wide);
        test_compare("in_gradient", din, GRADIENT_LIMIT);
        test_compare("weight_gradient", dweight, GRADIENT_LIMIT);
        test_compare("bias_gradient", dbias, GRADIENT_LIMIT);
        test_unchanged("in", in);
        test_unchanged("out_gradient", dout);
        for (int64_t i = 0; i < scratch.count; i++) scratch.wide[i] = scratch.value[i];
        test_unchanged("scratch", scratch); // its sentinels
    }
}

enum { ROWS = 3, WIDTH = 7 };
typedef struct {
    const double *in, *weight, *bias, *dout;
} norm_loss;

static double loss_of(const void *context) {
    const norm_loss *loss = context;
    double out[ROWS * WIDTH], mean[ROWS], deviation[ROWS], sum = 0.0;
    ref_layer_norm(ROWS, WIDTH, EPSILON, loss->in, loss->weight, loss->bias, out, mean, deviation);
    for (int i = 0; i < ROWS * WIDTH; i++) sum += out[i] * loss->dout[i];
    return sum;
}

static double rms_loss_of(const void *context) {
    const norm_loss *loss = context;
    double out[ROWS * WIDTH], sum = 0.0;
    ref_rms_norm(ROWS, WIDTH, EPSILON, loss->in, loss->weight, out);
    for (int i = 0; i < ROWS * WIDTH; i++) sum += out[i] * loss->dout[i];
    return sum;
}

Test(reference, rms_norm_gradient) {
    test_restart();
    test_array in = test_normal(ROWS * WIDTH, 2.0), weight = test_normal(WIDTH, 1.0);
    test_array dout = test_normal(ROWS * WIDTH, 1.0), din = test_zeros(ROWS * WIDTH), dweight = test_zeros(WIDTH);
    ref_rms_norm_backward(ROWS, WIDTH, EPSILON, in.wide, weight.wide, dout.wide, din.wide, dweight.wide);
    const norm_loss loss = {in.wide, weight.wide, NULL, dout.wide};
    test_central_differences("in", rms_loss_of, &loss, in.wide, din.wide, ROWS * WIDTH);
    test_central_differences("weight", rms_loss_of, &loss, weight.wide, dweight.wide, WIDTH);
    test_release();
}

Test(reference, layer_norm_gradient) {
    test_restart();
    test_array in = test_normal(ROWS * WIDTH, 2.0), weight = test_normal(WIDTH, 1.0), bias = test_normal(WIDTH, 1.0);
    test_array dout = test_normal(ROWS * WIDTH, 1.0), din = test_zeros(ROWS * WIDTH);
    test_array dweight = test_zeros(WIDTH), dbias = test_zeros(WIDTH);
    ref_layer_norm_backward(ROWS, WIDTH, EPSILON, in.wide, weight.wide, dout.wide, din.wide, dweight.wide, dbias.wide);
    const norm_loss loss = {in.wide, weight.wide, bias.wide, dout.wide};
    test_central_differences("in", loss_of, &loss, in.wide, din.wide, ROWS * WIDTH);
    test_central_differences("weight", loss_of, &loss, weight.wide, dweight.wide, WIDTH);
    test_central_differences("bias", loss_of, &loss, bias.wide, dbias.wide, WIDTH);
    test_release();
}
