// SPDX-License-Identifier: MIT
// pool and unpool: packed sequences whose last windows are short, each against the formula of it alone, and both as the
// gradients of each other.
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
