// SPDX-License-Identifier: MIT
// attention_pool and its gradients: packed sequences of one row and of many, large and equal scores.
#include "reference/ref.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>

static const double LIMIT = 1e-6; // at most twice the error of the plain formula in f32 (sums of 130 rows)

static const int64_t LENGTH[] = {5, 1, 130, 2, 64}, WIDTH[] = {1, 3, 16, 37, 64};
enum { SEQUENCES = sizeof LENGTH / sizeof LENGTH[0], WIDTHS = sizeof WIDTH / sizeof WIDTH[0] };

typedef struct {
    int64_t *start;
    test_array in, score, out;
    gw_attention_pool_args args;
} problem;

static void make(problem *p, int64_t width) {
    p->start = test_alloc(SEQUENCES + 1, sizeof *p->start);
    for (int s = 0; s < SEQUENCES; s++) p->start[s + 1] = p->start[s] + LENGTH[s];
    p->in = test_normal(p->start[SEQUENCES] * width, 1.0);
    p->score = test_normal(p->start[SEQUENCES], 8.0);
    p->out = test_filled(SEQUENCES * width, 5.0);
    for (int64_t r = p->start[4]; r < p->start[5]; r++) p->score.value[r] = 300.0f, p->score.wide[r] = 300.0;
    p->args = (gw_attention_pool_args){.sequences = SEQUENCES,
                                       .width = width,
                                       .scale = 0.5f,
                                       .start = p->start,
                                       .in = p->in.value,
                                       .score = p->score.value,
                                       .out = p->out.value};
}

void check_attention_pool(const gw_backend *backend) {
    for (int c = 0; c < WIDTHS; c++) {
        problem p;
        make(&p, WIDTH[c]);
        cr_assert(backend->attention_pool(&p.args) == GW_OK);
        for (int s = 0; s < SEQUENCES; s++)
            ref_attention_pool(LENGTH[s], WIDTH[c], 0.5, p.in.wide + p.start[s] * WIDTH[c], p.score.wide + p.start[s],
                               p.out.wide + s * WIDTH[c]);
        test_compare("out", p.out, LIMIT);
        test_unchanged("in", p.in);
        test_unchanged("score", p.score);
    }
}

// The gradients are added to what is there.
void check_attention_pool_backward(const gw_backend *backend) {
    for (int c = 0; c < WIDTHS; c++) {
        problem p;
        make(&p, WIDTH[c]);
        const int64_t rows = p.start[SEQUENCES], width = WIDTH[c];
        test_array gradient = test_normal(SEQUENCES * width, 1.0), din = test_filled(rows * width, 1.0),
                   dscore = test_filled(rows, 1.0);
        p.args.gradient = gradient.value;
        p.args.in_gradient = din.value;
        p.args.score_gradient = dscore.value;
        cr_assert(backend->attention_pool_backward(&p.args) == GW_OK);
        for (int s = 0; s < SEQUENCES; s++)
            ref_attention_pool_backward(LENGTH[s], width, 0.5, p.in.wide + p.start[s] * width,
                                        p.score.wide + p.start[s], gradient.wide + s * width,
                                        din.wide + p.start[s] * width, dscore.wide + p.start[s]);
        for (int64_t i = 0; i < rows * width; i++) din.wide[i] += 1.0;
        for (int64_t i = 0; i < rows; i++) dscore.wide[i] += 1.0;
        test_compare("gradient of in", din, LIMIT);
        test_compare("gradient of score", dscore, LIMIT);
        test_unchanged("in", p.in);
    }
}

typedef struct {
    const double *in, *score, *dout;
} pool_loss;

enum { ROWS = 7, COLUMNS = 3 };

static double pooled(const void *context) {
    const pool_loss *loss = context;
    double out[COLUMNS], sum = 0;
    ref_attention_pool(ROWS, COLUMNS, 0.7, loss->in, loss->score, out);
    for (int i = 0; i < COLUMNS; i++) sum += out[i] * loss->dout[i];
    return sum;
}

Test(reference, attention_pool_gradients) {
    test_restart();
    test_array in = test_normal(ROWS * COLUMNS, 1.0), score = test_normal(ROWS, 2.0), dout = test_normal(COLUMNS, 1.0);
    double din[ROWS * COLUMNS], dscore[ROWS];
    const pool_loss loss = {in.wide, score.wide, dout.wide};
    ref_attention_pool_backward(ROWS, COLUMNS, 0.7, in.wide, score.wide, dout.wide, din, dscore);
    test_central_differences("in", pooled, &loss, in.wide, din, ROWS * COLUMNS);
    test_central_differences("score", pooled, &loss, score.wide, dscore, ROWS);
    test_release();
}
