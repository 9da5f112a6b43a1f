// SPDX-License-Identifier: MIT
// pair_features and its gradient: odd widths, one pair and many.
#include "reference/ref.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>

static const int64_t SHAPES[][2] = {{1, 1}, {7, 5}, {33, 64}, {3, 19}};
enum { CASES = sizeof SHAPES / sizeof SHAPES[0] };
static const double LIMIT = 2e-7;

static void check(const gw_backend *backend, bool backward) {
    for (int c = 0; c < CASES; c++) {
        const int64_t pairs = SHAPES[c][0], width = SHAPES[c][1], count = 2 * pairs * width;
        test_array in = test_normal(count, 1), out = test_filled(2 * count, 5), gradient = test_normal(2 * count, 1),
                   din = test_filled(count, 1);
        const gw_pair_features_args args = {pairs, width, in.value, out.value, gradient.value, din.value};
        double *part = test_alloc(count, sizeof *part);
        cr_assert(backend->pair_features(&args) == GW_OK);
        ref_pair_features(pairs, width, in.wide, out.wide);
        test_compare("out", out, LIMIT);
        test_unchanged("in", in);
        if (!backward) continue;
        cr_assert(backend->pair_features_backward(&args) == GW_OK);
        ref_pair_features_backward(pairs, width, in.wide, gradient.wide, part);
        for (int64_t i = 0; i < count; i++) din.wide[i] = 1 + part[i];
        test_compare("gradient of in", din, LIMIT);
    }
}

void check_pair_features(const gw_backend *backend) {
    check(backend, false);
}

void check_pair_features_backward(const gw_backend *backend) {
    check(backend, true);
}

enum { PAIRS = 2, WIDTH = 3 };

typedef struct {
    const double *in, *dout;
} features_loss;

static double weighed(const void *context) {
    const features_loss *l = context;
    double out[4 * PAIRS * WIDTH], sum = 0;
    ref_pair_features(PAIRS, WIDTH, l->in, out);
    for (int i = 0; i < 4 * PAIRS * WIDTH; i++) sum += out[i] * l->dout[i];
    return sum;
}

Test(reference, pair_features_gradient) {
    test_restart();
    test_array in = test_normal(2 * PAIRS * WIDTH, 1), dout = test_normal(4 * PAIRS * WIDTH, 1);
    double din[2 * PAIRS * WIDTH];
    const features_loss loss = {in.wide, dout.wide};
    ref_pair_features_backward(PAIRS, WIDTH, in.wide, dout.wide, din);
    test_central_differences("in", weighed, &loss, in.wide, din, 2 * PAIRS * WIDTH);
    test_release();
}
