// SPDX-License-Identifier: MIT
// Ridge regression beside the gradient of what it makes least, and what it predicts.
#include "measure/regression.h"

#include <criterion/criterion.h>
#include <math.h>

// Dense: five rows of three features, the second constant; the number of row 3 is missing.
static const double dense[5][3] = {{1, 2, 0}, {0, 2, 3}, {2, 2, 1}, {9, 9, 9}, {4, 2, 0.5}};
static const float number[10] = {1, 0, -2, 0, 3, 0, NAN, 0, 4.5F, 0};
static int64_t start[6] = {0, 2, 4, 7, 10, 13};
static uint16_t feature[13] = {0, 1, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
static float value[13] = {1, 2, 2, 3, 2, 2, 1, 9, 9, 9, 4, 2, 0.5F};
static const gw_sparse_rows rows = {5, 3, start, feature, value};

// sum (y - w . x)^2 + strength n |w|^2 of standardised features, whose weights are those given times the deviations.
static double objective(const double *weight, double strength) {
    double sum = 0;
    for (int i = 0; i < 5; i++) {
        double z = weight[3];
        if (i == 3) continue;
        for (int f = 0; f < 3; f++) z += weight[f] * dense[i][f];
        sum += pow((double)number[2 * i] - z, 2);
    }
    for (int f = 0; f < 3; f++) {
        double mean = 0, square = 0;
        for (int i = 0; i < 5; i++)
            if (i != 3) mean += dense[i][f] / 4, square += dense[i][f] * dense[i][f] / 4;
        sum += strength * 4 * (square - mean * mean) * weight[f] * weight[f];
    }
    return sum;
}

Test(ridge, is_least_where_it_is) {
    gw_ridge_system system;
    cr_assert_eq(gw_ridge_system_make(&rows, number, 2, &system), GW_OK, "%s", gw_message());
    cr_expect_eq(system.rows, 4);
    for (double strength = 0.001; strength < 20; strength *= 10) {
        double weight[4];
        cr_assert_eq(gw_ridge_solve(&system, strength, weight), GW_OK);
        cr_expect_eq(weight[1], 0, "a constant feature has weight %g", weight[1]);
        for (int f = 0; f < 4; f++) {
            const double step = 1e-4, at = weight[f], least = objective(weight, strength);
            weight[f] = at + step;
            const double above = objective(weight, strength);
            weight[f] = at - step;
            const double below = objective(weight, strength);
            weight[f] = at;
            cr_expect(above >= least && below >= least, "strength %g, weight %d", strength, f);
            cr_expect(fabs(above - below) < 1e-8, "strength %g, weight %d: slope %g", strength, f, above - below);
        }
        float out[10] = {0};
        gw_ridge_predict(&rows, weight, out, 2);
        cr_expect(fabs((double)out[2] - (weight[2] * 3 + weight[1] * 2 + weight[3])) < 1e-5);
    }
    gw_ridge_system_free(&system);
}

Test(ridge, needs_a_number) {
    static const float none[5] = {NAN, NAN, NAN, NAN, NAN};
    gw_ridge_system system;
    cr_expect_eq(gw_ridge_system_make(&rows, none, 1, &system), GW_ERR_RANGE);
    gw_ridge_system_free(&system);
}
