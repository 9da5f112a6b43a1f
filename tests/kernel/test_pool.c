// SPDX-License-Identifier: MIT
// pool, unpool and softmax_pool: packed sequences whose last windows are short, each against the formula of it alone,
// and the first two as the gradients of each other.
#include "reference/ref.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const double LIMIT = 4.8e-7; // at most twice the error of the plain formula in f32 (sums of 200 rows)

static const int64_t LENGTH[] = {5, 0, 1, 130, 2, 3, 64};
static const char HOW[] = {'x', 'm', 's'}; // in the order of gw_pool
enum { SEQUENCES = sizeof LENGTH / sizeof LENGTH[0], KINDS = 3 };
static const struct {
    int64_t width;
    int factor;
} CASES[] = {{1, 1}, {3, 2}, {16, 4}, {37, 3}, {64, 200}};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

typedef struct {
    int64_t *start, *coarser_start;
    test_array finer, coarser;
    gw_pool_args args;
} problem;

static void make(problem *p, int c, gw_pool how, bool adds) {
    const int64_t width = CASES[c].width, factor = CASES[c].factor;
    p->start = test_alloc(SEQUENCES + 1, sizeof *p->start);
    p->coarser_start = test_alloc(SEQUENCES + 1, sizeof *p->coarser_start);
    for (int s = 0; s < SEQUENCES; s++) {
        p->start[s + 1] = p->start[s] + LENGTH[s];
        p->coarser_start[s + 1] = p->coarser_start[s] + (LENGTH[s] + factor - 1) / factor;
    }
    p->finer = test_normal(p->start[SEQUENCES] * width, 1.0);
    p->coarser = test_normal(p->coarser_start[SEQUENCES] * width, 1.0);
    p->args = (gw_pool_args){.sequences = SEQUENCES,
                             .width = width,
                             .start = p->start,
                             .coarser_start = p->coarser_start,
                             .coarser_rows = p->coarser_start[SEQUENCES],
                             .factor = CASES[c].factor,
                             .how = how,
                             .adds = adds};
}

// Some rows equal to the one before them.
static void make_ties(test_array in, int64_t width) {
    for (int64_t i = 0; i + width < in.count; i += 3)
        in.value[i + width] = in.value[i], in.wide[i + width] = in.wide[i];
}

void check_pool(const gw_backend *backend) {
    for (int c = 0; c < CASE_COUNT; c++)
        for (int way = 0; way < 2 * KINDS; way++) {
            problem p;
            make(&p, c, way / 2, way % 2);
            p.args.in = p.finer.value;
            p.args.out = p.coarser.value;
            double *want = test_alloc(p.coarser.count, sizeof *want);
            cr_assert(backend->pool(&p.args) == GW_OK);
            for (int s = 0; s < SEQUENCES; s++)
                ref_pool(LENGTH[s], p.args.width, p.args.factor, HOW[way / 2], p.finer.wide + p.start[s] * p.args.width,
                         want + p.coarser_start[s] * p.args.width);
            for (int64_t i = 0; i < p.coarser.count; i++) p.coarser.wide[i] = want[i] + way % 2 * p.coarser.wide[i];
            test_compare("out", p.coarser, LIMIT);
            test_unchanged("in", p.finer);
        }
}

void check_unpool(const gw_backend *backend) {
    for (int c = 0; c < CASE_COUNT; c++)
        for (int way = 0; way < 2 * KINDS; way++) {
            problem p;
            make(&p, c, way / 2, way % 2);
            test_array of = test_normal(p.finer.count, 1.0);
            make_ties(of, p.args.width);
            p.args.in = p.coarser.value;
            p.args.of = of.value;
            p.args.out = p.finer.value;
            cr_assert(backend->unpool(&p.args) == GW_OK);
            if (way % 2 == 0) memset(p.finer.wide, 0, (size_t)p.finer.count * sizeof *p.finer.wide);
            for (int s = 0; s < SEQUENCES; s++)
                ref_pool_backward(
                    LENGTH[s], p.args.width, p.args.factor, HOW[way / 2], of.wide + p.start[s] * p.args.width,
                    p.coarser.wide + p.coarser_start[s] * p.args.width, p.finer.wide + p.start[s] * p.args.width);
            test_compare("out", p.finer, LIMIT);
            test_unchanged("in", p.coarser);
            test_unchanged("of", of);
        }
}

// Logits far apart, and a row of them whose powers overflow alone.
static test_array make_logits(const problem *p) {
    test_array logit = test_normal(p->finer.count, 8.0);
    for (int64_t i = 0; i < p->args.width; i++) logit.value[i] = 120.0f, logit.wide[i] = 120.0;
    return logit;
}

void check_softmax_pool(const gw_backend *backend) {
    for (int c = 0; c < CASE_COUNT; c++) {
        problem p;
        make(&p, c, GW_POOL_SUM, false);
        test_array logit = make_logits(&p);
        p.args.in = p.finer.value;
        p.args.out = p.coarser.value;
        const gw_softmax_pool_args args = {.pool = p.args, .logit = logit.value};
        cr_assert(backend->softmax_pool(&args) == GW_OK);
        for (int s = 0; s < SEQUENCES; s++)
            ref_softmax_pool(LENGTH[s], p.args.width, p.args.factor, p.finer.wide + p.start[s] * p.args.width,
                             logit.wide + p.start[s] * p.args.width,
                             p.coarser.wide + p.coarser_start[s] * p.args.width);
        test_compare("out", p.coarser, LIMIT);
        test_unchanged("in", p.finer);
        test_unchanged("logit", logit);
    }
}

void check_softmax_pool_backward(const gw_backend *backend) {
    for (int c = 0; c < CASE_COUNT; c++) {
        problem p;
        make(&p, c, GW_POOL_SUM, false);
        test_array logit = make_logits(&p), din = test_normal(p.finer.count, 1.0),
                   dlogit = test_normal(p.finer.count, 1.0);
        double *out = test_alloc(p.coarser.count, sizeof *out);
        p.args.in = p.finer.value;
        const gw_softmax_pool_args args = {.pool = p.args,
                                           .logit = logit.value,
                                           .out_gradient = p.coarser.value,
                                           .in_gradient = din.value,
                                           .logit_gradient = dlogit.value};
        cr_assert(backend->softmax_pool_backward(&args) == GW_OK);
        for (int s = 0; s < SEQUENCES; s++) {
            const int64_t at = p.start[s] * p.args.width, of = p.coarser_start[s] * p.args.width;
            ref_softmax_pool(LENGTH[s], p.args.width, p.args.factor, p.finer.wide + at, logit.wide + at, out + of);
            ref_softmax_pool_backward(LENGTH[s], p.args.width, p.args.factor, p.finer.wide + at, logit.wide + at,
                                      out + of, p.coarser.wide + of, din.wide + at, dlogit.wide + at);
        }
        test_compare("gradient of in", din, LIMIT);
        test_compare("gradient of logit", dlogit, LIMIT);
        test_unchanged("in", p.finer);
        test_unchanged("logit", logit);
    }
}

// A NaN is never lost, and the gradient goes to the first.
Test(kernel, pool_of_nan) {
    float in[] = {1, NAN, 3, NAN}, out[1], gradient[] = {0, 0, 0, 0}, slope[] = {2};
    const int64_t start[] = {0, 4}, coarser_start[] = {0, 1};
    gw_pool_args args = {.sequences = 1,
                         .width = 1,
                         .start = start,
                         .coarser_start = coarser_start,
                         .coarser_rows = 1,
                         .factor = 4,
                         .in = in,
                         .out = out};
    cr_assert(gw_kernels()->pool(&args) == GW_OK);
    cr_expect(isnan(out[0]));
    args.in = slope, args.of = in, args.out = gradient;
    cr_assert(gw_kernels()->unpool(&args) == GW_OK);
    cr_expect(gradient[0] == 0 && gradient[1] == 2 && gradient[2] == 0 && gradient[3] == 0);
}

enum { ROWS = 7, WIDTH = 3, FACTOR = 3, WINDOWS = 3 };
typedef struct {
    char how;
    const double *in, *dout;
} pool_loss;

static double pooled(const void *context) {
    const pool_loss *loss = context;
    double out[WINDOWS * WIDTH], sum = 0.0;
    ref_pool(ROWS, WIDTH, FACTOR, loss->how, loss->in, out);
    for (int i = 0; i < WINDOWS * WIDTH; i++) sum += out[i] * loss->dout[i];
    return sum;
}

// Each kind's slopes, and the repeated rows, of which the sum is the gradient.
Test(reference, pool_gradients) {
    test_restart();
    for (int kind = 0; kind < KINDS; kind++) {
        test_array in = test_normal(ROWS * WIDTH, 1.0), dout = test_normal(WINDOWS * WIDTH, 1.0);
        test_array din = test_zeros(ROWS * WIDTH);
        const pool_loss loss = {HOW[kind], in.wide, dout.wide};
        ref_pool_backward(ROWS, WIDTH, FACTOR, HOW[kind], in.wide, dout.wide, din.wide);
        test_central_differences("in", pooled, &loss, in.wide, din.wide, ROWS * WIDTH);
        if (HOW[kind] != 's') continue;
        double repeated[ROWS * WIDTH];
        ref_unpool(ROWS, WIDTH, FACTOR, dout.wide, repeated);
        cr_expect(memcmp(repeated, din.wide, sizeof repeated) == 0);
    }
    test_release();
}

typedef struct {
    const double *in, *logit, *dout;
} softmax_loss;

static double softmax_pooled(const void *context) {
    const softmax_loss *loss = context;
    double out[WINDOWS * WIDTH], sum = 0.0;
    ref_softmax_pool(ROWS, WIDTH, FACTOR, loss->in, loss->logit, out);
    for (int i = 0; i < WINDOWS * WIDTH; i++) sum += out[i] * loss->dout[i];
    return sum;
}

Test(reference, softmax_pool_gradients) {
    test_restart();
    test_array in = test_normal(ROWS * WIDTH, 1.0), logit = test_normal(ROWS * WIDTH, 2.0),
               dout = test_normal(WINDOWS * WIDTH, 1.0), din = test_zeros(ROWS * WIDTH),
               dlogit = test_zeros(ROWS * WIDTH);
    double out[WINDOWS * WIDTH];
    const softmax_loss loss = {in.wide, logit.wide, dout.wide};
    ref_softmax_pool(ROWS, WIDTH, FACTOR, in.wide, logit.wide, out);
    ref_softmax_pool_backward(ROWS, WIDTH, FACTOR, in.wide, logit.wide, out, dout.wide, din.wide, dlogit.wide);
    test_central_differences("in", softmax_pooled, &loss, in.wide, din.wide, ROWS * WIDTH);
    test_central_differences("logit", softmax_pooled, &loss, logit.wide, dlogit.wide, ROWS * WIDTH);
    test_release();
}
