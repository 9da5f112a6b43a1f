// SPDX-License-Identifier: MIT
// exp_features and its gradients: packed sequences, shifts of rows and of sequences, in place and not, large exponents.
#include "reference/ref.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <math.h>

// At most twice the error of the plain formula in f32 (exponents up to 30 lose digits).
static const double LIMIT = 2e-6;

static const int64_t LENGTH[] = {5, 1, 33}, SIZES[][2] = {{1, 1}, {3, 5}, {64, 16}, {37, 32}};
enum { SEQUENCES = sizeof LENGTH / sizeof LENGTH[0], CASES = 2 * sizeof SIZES / sizeof SIZES[0], HEADS = 2 };

typedef struct {
    int64_t start[SEQUENCES + 1], rows;
    test_array in, projected, out;
    gw_exp_features_args args;
} problem;

static void make(problem *p, int c, bool in_place) {
    const int64_t features = SIZES[c / 2][0], size = SIZES[c / 2][1];
    p->start[0] = 0;
    for (int s = 0; s < SEQUENCES; s++) p->start[s + 1] = p->start[s] + LENGTH[s];
    p->rows = p->start[SEQUENCES];
    p->in = test_normal(p->rows * HEADS * size, 1.0);
    p->projected = test_normal(p->rows * HEADS * features, 4.0);
    p->out = in_place ? p->projected : test_zeros(p->rows * HEADS * features);
    p->args = (gw_exp_features_args){.sequences = SEQUENCES,
                                     .heads = HEADS,
                                     .features = features,
                                     .size = size,
                                     .half = 0.3f,
                                     .of_sequence = c % 2,
                                     .start = test_copy(p->start, SEQUENCES + 1, sizeof p->start[0]),
                                     .in = p->in.value,
                                     .projected = p->projected.value,
                                     .out = p->out.value};
}

static double *head_of(const double *rows, const problem *p, int s, int h, int64_t size) {
    double *part = test_alloc(LENGTH[s] * size, sizeof *part);
    for (int64_t r = 0; r < LENGTH[s]; r++)
        for (int64_t i = 0; i < size; i++) part[r * size + i] = rows[((p->start[s] + r) * HEADS + h) * size + i];
    return part;
}

static void put_head(double *rows, const problem *p, int s, int h, int64_t size, const double *part, double before) {
    for (int64_t r = 0; r < LENGTH[s]; r++)
        for (int64_t i = 0; i < size; i++)
            rows[((p->start[s] + r) * HEADS + h) * size + i] = before + part[r * size + i];
}

// The reference's features in p->out.wide.
static void expect(problem *p) {
    const int64_t features = p->args.features, size = p->args.size;
    double *all = test_alloc(p->rows * HEADS * features, sizeof *all);
    for (int s = 0; s < SEQUENCES; s++)
        for (int h = 0; h < HEADS; h++) {
            double *out = test_alloc(LENGTH[s] * features, sizeof *out);
            ref_exp_features(LENGTH[s], features, size, 0.3, p->args.of_sequence, head_of(p->in.wide, p, s, h, size),
                             head_of(p->projected.wide, p, s, h, features), out);
            put_head(all, p, s, h, features, out, 0);
        }
    for (int64_t i = 0; i < p->out.count; i++) p->out.wide[i] = all[i];
}

void check_exp_features(const gw_backend *backend) {
    for (int c = 0; c < 2 * CASES; c++) {
        problem p;
        make(&p, c / 2, c % 2);
        cr_assert(backend->exp_features(&p.args) == GW_OK);
        expect(&p);
        test_compare("out", p.out, LIMIT);
        test_unchanged("in", p.in);
    }
}

// Added to what is there, or in the place of the result's gradient.
void check_exp_features_backward(const gw_backend *backend) {
    for (int c = 0; c < 2 * CASES; c++) {
        problem p;
        make(&p, c / 2, true);
        const int64_t features = p.args.features, size = p.args.size, count = p.rows * HEADS * features;
        const bool replaces = c % 2;
        test_array gradient = test_normal(count, 1.0), din = test_filled(p.rows * HEADS * size, 1.0),
                   dprojected = replaces ? gradient : test_filled(count, 1.0);
        p.args.out_gradient = gradient.value;
        p.args.in_gradient = din.value;
        p.args.projected_gradient = dprojected.value;
        cr_assert(backend->exp_features(&p.args) == GW_OK);
        cr_assert(backend->exp_features_backward(&p.args) == GW_OK);
        expect(&p);
        double *want = test_alloc(count, sizeof *want);
        for (int s = 0; s < SEQUENCES; s++)
            for (int h = 0; h < HEADS; h++) {
                double *dx = test_alloc(LENGTH[s] * size, sizeof *dx),
                       *dp = test_alloc(LENGTH[s] * features, sizeof *dp);
                ref_exp_features_backward(LENGTH[s], features, size, 0.3, head_of(p.in.wide, &p, s, h, size),
                                          head_of(p.out.wide, &p, s, h, features),
                                          head_of(gradient.wide, &p, s, h, features), dx, dp);
                put_head(din.wide, &p, s, h, size, dx, 1);
                put_head(want, &p, s, h, features, dp, replaces ? 0 : 1);
            }
        for (int64_t i = 0; i < count; i++) dprojected.wide[i] = want[i];
        test_compare("gradient of in", din, LIMIT);
        test_compare("gradient of projected", dprojected, LIMIT);
    }
}

enum { ROWS = 4, FEATURES = 3, SIZE = 2 };

typedef struct {
    const double *in, *projected, *dout;
} features_loss;

// Of features without a shift: those of the reference times the factor that the shift takes off.
static double weighed(const void *context) {
    const features_loss *l = context;
    double sum = 0;
    for (int r = 0; r < ROWS; r++)
        for (int f = 0; f < FEATURES; f++) {
            double square = 0;
            for (int d = 0; d < SIZE; d++) square += l->in[r * SIZE + d] * l->in[r * SIZE + d];
            sum += l->dout[r * FEATURES + f] * exp(l->projected[r * FEATURES + f] - 0.3 * square);
        }
    return sum;
}

Test(reference, exp_features_gradients) {
    test_restart();
    test_array in = test_normal(ROWS * SIZE, 1), projected = test_normal(ROWS * FEATURES, 1),
               dout = test_normal(ROWS * FEATURES, 1);
    double out[ROWS * FEATURES], din[ROWS * SIZE], dprojected[ROWS * FEATURES];
    const features_loss loss = {in.wide, projected.wide, dout.wide};
    for (int r = 0; r < ROWS; r++)
        for (int f = 0; f < FEATURES; f++) {
            double square = 0;
            for (int d = 0; d < SIZE; d++) square += in.wide[r * SIZE + d] * in.wide[r * SIZE + d];
            out[r * FEATURES + f] = exp(projected.wide[r * FEATURES + f] - 0.3 * square);
        }
    ref_exp_features_backward(ROWS, FEATURES, SIZE, 0.3, in.wide, out, dout.wide, din, dprojected);
    test_central_differences("in", weighed, &loss, in.wide, din, ROWS * SIZE);
    test_central_differences("projected", weighed, &loss, projected.wide, dprojected, ROWS * FEATURES);
    test_release();
}
