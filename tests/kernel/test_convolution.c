// SPDX-License-Identifier: MIT
// convolution: packed sequences of any length against the formula of each alone, and rows whose bits do not depend on
// what stands beside them.
#include "reference/ref.h"
#include "tests/kernel/emulated.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <string.h>

// At most twice the error of the plain formula in f32 on the same numbers.
static const double LIMIT = 7e-7;

static const int64_t ONE[] = {1}, MANY[] = {5, 1, 40, 17, 1, 1, 66, 2, 9}, EQUAL[] = {32, 32, 32}, LONG[] = {700},
                     NONE[] = {0, 3, 0};
static const struct {
    const int64_t *length;
    int64_t sequences, in_width, width;
    int taps, dilation, groups;
} CASES[] = {
    {ONE, 1, 1, 1, 1, 1, 1},       {ONE, 1, 5, 3, 9, 1, 1},     {MANY, 9, 4, 6, 1, 7, 1},
    {MANY, 9, 16, 16, 3, 1, 1},    {MANY, 9, 8, 12, 5, 2, 4},   {MANY, 9, 33, 70, 9, 4, 1},
    {MANY, 9, 64, 64, 9, 32, 1},   {MANY, 9, 6, 6, 3, 100, 6},  {EQUAL, 3, 64, 128, 9, 1, 1},
    {EQUAL, 3, 96, 80, 5, 8, 2},   {LONG, 1, 70, 17, 3, 16, 1}, {LONG, 1, 130, 20, 3, 3, 1},
    {LONG, 1, 20, 140, 3, 300, 1}, {NONE, 3, 7, 5, 3, 1, 1},    {EQUAL, 0, 64, 64, 3, 1, 1},
    {LONG, 1, 130, 100, 9, 60, 1}, {LONG, 1, 66, 50, 9, 2, 1},  {MANY, 9, 37, 37, 3, 1, 37},
    {LONG, 1, 64, 64, 5, 7, 64},
};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

typedef struct {
    gw_convolution_args args;
    ref_convolution_shape shape; // but for its rows
    int64_t *start;
    test_array in, weight, bias, out, dout, din, dweight, scratch;
} problem;

static problem make(const gw_backend *backend, int c, gw_precision precision, gw_op op, int way) {
    problem p = {.shape = {0, CASES[c].in_width, CASES[c].width, CASES[c].taps, CASES[c].dilation, CASES[c].groups}};
    p.start = test_alloc(CASES[c].sequences + 1, sizeof *p.start);
    for (int64_t s = 0; s < CASES[c].sequences; s++) p.start[s + 1] = p.start[s] + CASES[c].length[s];
    const int64_t rows = p.start[CASES[c].sequences];
    p.in = test_normal(rows * p.shape.in_width, 1.0);
    p.weight = test_normal(p.shape.taps * p.shape.width * p.shape.in_width / p.shape.groups, 0.5);
    p.bias = test_normal(p.shape.width, 1.0);
    p.out = test_zeros(rows * p.shape.width);
    p.dout = test_normal(rows * p.shape.width, 1.0);
    p.din = test_normal(p.in.count, 1.0);
    p.dweight = test_normal(p.weight.count, 1.0);
    p.args = (gw_convolution_args){.sequences = CASES[c].sequences,
                                   .rows = rows,
                                   .start = p.start,
                                   .in_width = p.shape.in_width,
                                   .width = p.shape.width,
                                   .taps = p.shape.taps,
                                   .dilation = p.shape.dilation,
                                   .groups = p.shape.groups,
                                   .in = p.in.value,
                                   .weight = p.weight.value,
                                   .bias = way & 1 ? p.bias.value : NULL,
                                   .out = p.out.value,
                                   .out_gradient = p.dout.value,
                                   .in_gradient = p.din.value,
                                   .weight_gradient = p.dweight.value,
                                   .overwrites = way & 2,
                                   .precision = precision};
    p.scratch = test_zeros(backend->scratch(op, &p.args));
    p.args.scratch = p.scratch.value;
    return p;
}

static void assert_scratch(problem *p) {
    for (int64_t i = 0; i < p->scratch.count; i++) p->scratch.wide[i] = (double)p->scratch.value[i];
    test_unchanged("scratch", p->scratch); // its sentinels
}

static ref_convolution_shape sequence_of(const problem *p, int64_t s) {
    ref_convolution_shape shape = p->shape;
    shape.rows = p->start[s + 1] - p->start[s];
    return shape;
}

static void check_forward(const gw_backend *backend, int c, gw_precision precision) {
    problem p = make(backend, c, precision, GW_OP_convolution, c);
    cr_assert(backend->convolution(&p.args) == GW_OK);
    assert_scratch(&p);
    test_unchanged("in", p.in);
    test_unchanged("weight", p.weight);
    if (precision == GW_BF16) test_round_to_bf16(p.in), test_round_to_bf16(p.weight);
    for (int64_t s = 0; s < p.args.sequences; s++) {
        const ref_convolution_shape shape = sequence_of(&p, s);
        ref_convolution(&shape, p.in.wide + p.start[s] * shape.in_width, p.weight.wide,
                        p.args.bias ? p.bias.wide : NULL, p.out.wide + p.start[s] * shape.width);
    }
    test_compare("out", p.out, test_sum_limit(LIMIT, p.shape.taps * p.shape.in_width));
    test_release();
}

// Every sequence alone has the bits that it has among the others.
static void check_alone(const gw_backend *backend, int c, gw_precision precision) {
    problem p = make(backend, c, precision, GW_OP_convolution, 1);
    cr_assert(backend->convolution(&p.args) == GW_OK);
    test_array alone = test_zeros(p.out.count);
    for (int64_t s = 0; s < p.args.sequences; s++) {
        const int64_t rows = p.start[s + 1] - p.start[s],
                      *start = test_copy((const int64_t[]){0, rows}, 2, sizeof *start);
        gw_convolution_args one = p.args;
        one.sequences = 1, one.rows = rows, one.start = start;
        one.in += p.start[s] * one.in_width;
        one.out = alone.value + p.start[s] * one.width;
        cr_assert(backend->convolution(&one) == GW_OK);
    }
    cr_assert(memcmp(alone.value, p.out.value, (size_t)p.out.count * sizeof(float)) == 0,
              "case %d: a sequence has other bits alone", c);
    test_release();
}

// Rows that are wanted have the bits that they have among all others; more than half of a sequence may be unwanted.
static void check_halo(const gw_backend *backend, int c, gw_precision precision) {
    for (int64_t halo = 3; halo < 200; halo *= 20) {
        problem p = make(backend, c, precision, GW_OP_convolution, 1);
        const int64_t width = p.args.width;
        test_array wanted = test_zeros(p.out.count);
        cr_assert(backend->convolution(&p.args) == GW_OK);
        gw_convolution_args some = p.args;
        some.halo = halo, some.out = wanted.value;
        cr_assert(backend->convolution(&some) == GW_OK);
        for (int64_t s = 0; s < p.args.sequences; s++)
            for (int64_t row = p.start[s] + halo; row < p.start[s + 1] - halo; row++)
                cr_assert(
                    memcmp(wanted.value + row * width, p.out.value + row * width, (size_t)width * sizeof(float)) == 0,
                    "case %d: row %d has other bits with a halo of %d", c, (int)row, (int)halo);
        assert_scratch(&p);
        test_release();
    }
}

static void check_backward(const gw_backend *backend, int c, gw_precision precision) {
    problem p = make(backend, c, precision, GW_OP_convolution_backward, c);
    cr_assert(backend->convolution_backward(&p.args) == GW_OK);
    assert_scratch(&p);
    test_unchanged("in", p.in);
    test_unchanged("weight", p.weight);
    test_unchanged("out_gradient", p.dout);
    if (p.args.overwrites) memset(p.din.wide, 0, (size_t)p.din.count * sizeof *p.din.wide);
    if (precision == GW_BF16) test_round_to_bf16(p.in), test_round_to_bf16(p.weight), test_round_to_bf16(p.dout);
    for (int64_t s = 0; s < p.args.sequences; s++) {
        const ref_convolution_shape shape = sequence_of(&p, s);
        const int64_t of_in = p.start[s] * shape.in_width, of_out = p.start[s] * shape.width;
        ref_convolution_backward(&shape, p.in.wide + of_in, p.weight.wide, p.dout.wide + of_out, p.din.wide + of_in,
                                 p.dweight.wide, NULL);
    }
    test_compare("in_gradient", p.din, test_sum_limit(LIMIT, p.shape.taps * p.shape.width));
    test_compare("weight_gradient", p.dweight, test_sum_limit(LIMIT, p.args.rows));
    test_release();
}

static void check_case(const gw_backend *backend, int c) {
    for (gw_precision precision = GW_F32; precision <= (gw_has_bf16() ? GW_BF16 : GW_F32); precision++) {
        check_forward(backend, c, precision);
        check_alone(backend, c, precision);
        check_halo(backend, c, precision);
    }
}

void check_convolution(const gw_backend *backend) {
    for (int c = 0; c < CASE_COUNT; c++) check_case(backend, c);
}

// Small ones: dilated, of several groups, with sequences of no rows.
static void check_few(const gw_backend *backend) {
    static const int FEW[] = {0, 1, 2, 4, 7, 13};
    for (size_t i = 0; i < sizeof FEW / sizeof FEW[0]; i++) check_case(backend, FEW[i]);
}

Test(cuda, convolution_in_any_order) {
    test_emulated(check_few, GW_OP_convolution, TEST_ORDERS);
}

void check_convolution_backward(const gw_backend *backend) {
    for (gw_precision precision = GW_F32; precision <= (gw_has_bf16() ? GW_BF16 : GW_F32); precision++)
        for (int c = 0; c < CASE_COUNT; c++) check_backward(backend, c, precision);
}

typedef struct {
    const ref_convolution_shape *shape;
    const double *in, *weight, *bias, *dout;
} convolution_loss;

static double loss_of(const void *context) {
    const convolution_loss *loss = context;
    double out[7 * 6], sum = 0.0;
    ref_convolution(loss->shape, loss->in, loss->weight, loss->bias, out);
    for (int64_t i = 0; i < loss->shape->rows * loss->shape->width; i++) sum += out[i] * loss->dout[i];
    return sum;
}

Test(reference, convolution_gradient) {
    const ref_convolution_shape shape = {.rows = 7, .in_width = 4, .width = 6, .taps = 5, .dilation = 2, .groups = 2};
    test_restart();
    test_array in = test_normal(28, 1.0), weight = test_normal(60, 1.0), bias = test_normal(6, 1.0);
    test_array dout = test_normal(42, 1.0), din = test_zeros(28), dweight = test_zeros(60), dbias = test_zeros(6);
    const convolution_loss loss = {&shape, in.wide, weight.wide, bias.wide, dout.wide};
    ref_convolution_backward(&shape, in.wide, weight.wide, dout.wide, din.wide, dweight.wide, dbias.wide);
    test_central_differences("in", loss_of, &loss, in.wide, din.wide, 28);
    test_central_differences("weight", loss_of, &loss, weight.wide, dweight.wide, 60);
    test_central_differences("bias", loss_of, &loss, bias.wide, dbias.wide, 6);
    test_release();
}

// By hand: three taps two rows apart, one input, one output.
Test(reference, convolution_taps) {
    const ref_convolution_shape shape = {.rows = 4, .in_width = 1, .width = 1, .taps = 3, .dilation = 2, .groups = 1};
    const double in[] = {1, 2, 3, 4}, weight[] = {1, 10, 100}, bias[] = {0.5};
    const double want[] = {10 + 300 + 0.5, 20 + 400 + 0.5, 1 + 30 + 0.5, 2 + 40 + 0.5};
    double out[4];
    ref_convolution(&shape, in, weight, bias, out);
    for (int i = 0; i < 4; i++) cr_expect(out[i] == want[i], "%d: %g, not %g", i, out[i], want[i]);
}
