// SPDX-License-Identifier: MIT
// adafactor against its reference: matrices and vectors, with and without a bound that binds and a rate by size, over
// several updates.
#include "reference/ref.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <math.h>

enum { UPDATES = 3 };
static const double limit = 2e-6; // sums of rows and columns in f32

typedef struct {
    int64_t rows, columns;
    bool factored;
    double threshold, least_size, gradient;
} shape;

static const shape SHAPES[] = {
    {1, 1, false, 1, 1e-3, 0.1},   {1, 37, false, 1, 0, 1e-3}, {1, 1000, false, 100, 1e-3, 1},
    {2, 3, true, 1, 1e-3, 0.1},    {17, 33, true, 1, 0, 1e-6}, {64, 48, true, 0.2, 1e-3, 1},
    {5, 4099, true, 1, 1e-3, 0.1}, {700, 5, true, 1, 10, 0.1},
};

static void check_shape(const gw_backend *backend, const shape *s) {
    const int64_t count = s->rows * s->columns;
    test_array weight = test_normal(count, 0.1), rows = test_zeros(s->rows), columns = test_zeros(s->columns);
    test_array scratch = test_zeros(2 * s->rows);
    for (int t = 0; t < UPDATES; t++) {
        test_array gradient = test_normal(count, s->gradient);
        if (t == 1) gradient.value[0] = 0.0f, gradient.wide[0] = 0.0;
        const gw_gradient_norm norm = {1, 0.5f}, infinite = {INFINITY, 0.0f};
        const gw_gradient_norm *norms = test_copy((const gw_gradient_norm[]){norm, infinite}, 2, sizeof norm);
        gw_adafactor_args args = {.rows = s->rows,
                                  .columns = s->columns,
                                  .weight = weight.value,
                                  .row_moment = s->factored ? rows.value : NULL,
                                  .column_moment = columns.value,
                                  .scratch = scratch.value,
                                  .gradient = gradient.value,
                                  .norm = &norms[1],
                                  .rate = 1e-2f,
                                  .decay = (float)(1 - pow(t + 1, -0.8)),
                                  .epsilon = 1e-30f,
                                  .threshold = (float)s->threshold,
                                  .least_size = (float)s->least_size};
        const ref_adafactor_options options = {norm.scale,   args.rate,      args.decay,
                                               args.epsilon, args.threshold, args.least_size};
        cr_assert(backend->adafactor(&args) == GW_OK); // nothing
        args.norm = &norms[0];
        cr_assert(backend->adafactor(&args) == GW_OK);
        ref_adafactor(s->rows, s->columns, &options, gradient.wide, weight.wide, s->factored ? rows.wide : NULL,
                      columns.wide);
        test_unchanged("gradient", gradient);
    }
    test_compare("weight", weight, limit);
    test_compare("row moment", rows, limit);
    test_compare("column moment", columns, limit);
}

void check_adafactor(const gw_backend *backend) {
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) check_shape(backend, &SHAPES[i]);
}
