// SPDX-License-Identifier: MIT
// rotary_angles, and rotary: against the formula, back again, and what it is for: scores that depend on the distance of
// positions alone.
#include "reference/ref.h"
#include "tests/kernel/support.h"

#include <criterion/criterion.h>
#include <math.h>

static const double ROTARY_LIMIT = 1.2e-7; // at most twice the error of the plain formula in f32
enum { POSITIONS = 50, GAP = 3 };

typedef struct {
    int64_t rows;
    int heads;
    int64_t size, rotary;
} rotary_shape;
static const rotary_shape SHAPES[] = {{1, 1, 2, 2}, {7, 2, 8, 8}, {33, 3, 20, 6}, {40, 2, 64, 32}, {19, 2, 80, 72}};
enum { SHAPE_CASES = sizeof SHAPES / sizeof SHAPES[0] };

static gw_rotary_args shape_arguments(const rotary_shape *shape, test_array data) {
    const int64_t half = shape->rotary / 2;
    test_array cosine = test_zeros(POSITIONS * half), sine = test_zeros(POSITIONS * half);
    for (int64_t i = 0; i < POSITIONS * half; i++) {
        const double angle = (double)(i / half) * pow(1000.0, -(double)(i % half) / (double)half);
        cosine.value[i] = (float)cos(angle), sine.value[i] = (float)sin(angle);
    }
    return (gw_rotary_args){.rows = shape->rows,
                            .heads = shape->heads,
                            .head_size = shape->size,
                            .rotary = shape->rotary,
                            .position = test_indices(shape->rows, POSITIONS),
                            .cosine = cosine.value,
                            .sine = sine.value,
                            .data = data.value,
                            .stride = shape->heads * shape->size + GAP};
}

static void turn_wide(const rotary_shape *shape, const gw_rotary_args *args, test_array data) {
    const int64_t width = shape->heads * shape->size;
    double *dense = test_alloc(shape->rows * width, sizeof *dense);
    for (int64_t i = 0; i < shape->rows * width; i++) dense[i] = data.wide[i / width * args->stride + i % width];
    ref_rotary(shape->rows, shape->heads, shape->size, shape->rotary, 1000.0, args->inverse ? -1.0 : 1.0,
               args->position, dense);
    for (int64_t i = 0; i < shape->rows * width; i++) data.wide[i / width * args->stride + i % width] = dense[i];
}

// By a base, and by frequencies that are given.
void check_rotary_angles(const gw_backend *backend) {
    for (int c = 0; c < 2 * SHAPE_CASES; c++) {
        const int64_t half = SHAPES[c / 2].rotary / 2, positions = c < 2 ? 1 : 4099;
        test_array cosine = test_zeros(positions * half), sine = test_zeros(positions * half),
                   frequency = test_normal(half, 1.0);
        const bool given = c % 2 == 1;
        ref_rotary_angles(positions, SHAPES[c / 2].rotary, 10000.0, given ? frequency.wide : NULL, cosine.wide,
                          sine.wide);
        cr_assert(backend->rotary_angles(&(gw_rotary_angles_args){.positions = positions,
                                                                  .rotary = SHAPES[c / 2].rotary,
                                                                  .base = 10000.0,
                                                                  .frequency = given ? frequency.value : NULL,
                                                                  .cosine = cosine.value,
                                                                  .sine = sine.value}) == GW_OK);
        test_compare("cosine", cosine, ROTARY_LIMIT);
        test_compare("sine", sine, ROTARY_LIMIT);
    }
}

void check_rotary(const gw_backend *backend) {
    for (int c = 0; c < 2 * SHAPE_CASES; c++) {
        const rotary_shape *shape = &SHAPES[c / 2];
        test_array data = test_normal(shape->rows * (shape->heads * shape->size + GAP), 1.0);
        gw_rotary_args args = shape_arguments(shape, data);
        args.inverse = c % 2;
        cr_assert(backend->rotary(&args) == GW_OK);
        turn_wide(shape, &args, data);
        test_compare("data", data, ROTARY_LIMIT);
        args.inverse = !args.inverse;
        cr_assert(backend->rotary(&args) == GW_OK);
        turn_wide(shape, &args, data);
        test_compare("data turned back", data, 2.0 * ROTARY_LIMIT);
    }
}

static double score_of(const double *query, const double *key, int32_t query_position, int32_t key_position) {
    double q[8], k[8], sum = 0.0;
    for (int i = 0; i < 8; i++) q[i] = query[i], k[i] = key[i];
    ref_rotary(1, 1, 8, 6, 10000.0, 1.0, &query_position, q);
    ref_rotary(1, 1, 8, 6, 10000.0, 1.0, &key_position, k);
    for (int i = 0; i < 8; i++) sum += q[i] * k[i];
    return sum;
}

Test(reference, rotary_scores_depend_on_distance) {
    test_restart();
    test_array query = test_normal(8, 1.0), key = test_normal(8, 1.0);
    const double score = score_of(query.wide, key.wide, 3, 7);
    cr_expect(fabs(score_of(query.wide, key.wide, 103, 107) - score) < 1e-12);
    cr_expect(fabs(score_of(query.wide, key.wide, 7, 3) - score) > 1e-3);
    test_release();
}

// By hand: two pairs, (x0, x2) turned by the position and (x1, x3) by a hundredth of it; x4 stays.
Test(reference, rotary_pairs) {
    const int32_t position = 2;
    double x[5] = {1, 0, 0, 1, 5};
    ref_rotary(1, 1, 5, 4, 10000.0, 1.0, &position, x);
    const double want[5] = {cos(2), -sin(0.02), sin(2), cos(0.02), 5};
    for (int i = 0; i < 5; i++) cr_expect(fabs(x[i] - want[i]) < 1e-15, "%d: %g, not %g", i, x[i], want[i]);
}
