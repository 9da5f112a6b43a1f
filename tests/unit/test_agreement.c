// SPDX-License-Identifier: MIT
// Agreement of numbers beside plain loops, and bootstrap samples beside lists in which what is drawn stands as often.
#include "measure/agreement.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

// The mean of n draws with replacement has the deviation s / sqrt(n); 95 % lie within 1.96 of it.
Test(bootstrap, holds_95_percent_of_the_means) {
    enum { COUNT = 400 };
    double values[COUNT], squares = 0;
    gw_interval found, again;
    for (int i = 0; i < COUNT; i++) values[i] = (i * 37 % COUNT) / (double)COUNT;
    cr_assert_eq(gw_bootstrap_mean(values, COUNT, 20000, 1, &found), GW_OK);
    cr_assert_eq(gw_bootstrap_mean(values, COUNT, 20000, 1, &again), GW_OK);
    for (int i = 0; i < COUNT; i++) squares += (values[i] - found.value) * (values[i] - found.value);
    const double half = 1.96 * sqrt(squares / COUNT) / sqrt(COUNT);
    cr_expect(fabs(found.value - (COUNT - 1) / 2.0 / COUNT) < 1e-12, "mean %g", found.value);
    cr_expect(fabs(found.value - half - found.low) < 0.03 * half, "low %g, expected %g", found.low, found.value - half);
    cr_expect(fabs(found.value + half - found.high) < 0.03 * half, "high %g", found.high);
    cr_expect(again.low == found.low && again.high == found.high, "the same seed, another interval");
    cr_expect_eq(gw_bootstrap_mean(values, 0, 10, 1, &found), GW_ERR_RANGE);
}

enum { ROWS = 60, GROUPS = 9 };
static double x[ROWS], p[ROWS];
static int32_t group[ROWS];

// Numbers with ties; groups of 1, 3 and more rows, and one number of a group that no row has.
static gw_agreement_pairs make_pairs(void) {
    for (int i = 0; i < ROWS; i++) {
        x[i] = (i * 37 % 50) / 10.0;
        p[i] = 0.5 * x[i] + (i * 23 % 17) / 8.0;
        group[i] = i == 0 ? 7 : i < 4 ? 6 : i % 6;
    }
    return (gw_agreement_pairs){.measured = x, .predicted = p, .count = ROWS, .group = group, .groups = GROUPS};
}

static double r2_of(const double *a, const double *b, int count) {
    double mean = 0, left = 0, all = 0;
    for (int i = 0; i < count; i++) mean += a[i] / count;
    for (int i = 0; i < count; i++) {
        left += pow(a[i] - b[i], 2);
        all += pow(a[i] - mean, 2);
    }
    return 1 - left / all;
}

static int by_value(const void *a, const void *b) {
    const double u = *(const double *)a, v = *(const double *)b;
    return (u > v) - (u < v);
}

// Rows less the means of their groups, and the median of the groups' correlations.
static void plain_groups(double *within, double *median) {
    double a[ROWS], b[ROWS], r[GROUPS];
    int large = 0;
    for (int g = 0; g < GROUPS; g++) {
        double u[ROWS], v[ROWS], u_mean = 0, v_mean = 0;
        int count = 0;
        for (int i = 0; i < ROWS; i++)
            if (group[i] == g) u[count] = x[i], v[count++] = p[i];
        for (int i = 0; i < count; i++) u_mean += u[i] / count, v_mean += v[i] / count;
        for (int i = 0; i < ROWS; i++)
            if (group[i] == g) a[i] = x[i] - u_mean, b[i] = p[i] - v_mean;
        if (count >= GW_LARGE_GROUP) r[large++] = gw_pearson(u, v, count);
    }
    qsort(r, (size_t)large, sizeof *r, by_value);
    *median = (r[(large - 1) / 2] + r[large / 2]) / 2;
    *within = gw_pearson(a, b, ROWS);
}

Test(agreement, is_that_of_plain_loops) {
    gw_agreement_pairs pairs = make_pairs();
    gw_agreement found;
    double want, median;
    cr_assert_eq(gw_agreement_compute(&pairs, &found), GW_OK);
    cr_expect(found.count == ROWS && found.groups == 8 && found.lone == 1 && found.large == 6);
    cr_expect(fabs(found.pearson.value - gw_pearson(x, p, ROWS)) < 1e-12);
    cr_assert_eq(gw_spearman(x, p, ROWS, &want), GW_OK);
    cr_expect(fabs(found.spearman.value - want) < 1e-12, "%g, expected %g", found.spearman.value, want);
    cr_expect(fabs(found.r2.value - r2_of(x, p, ROWS)) < 1e-12);
    plain_groups(&want, &median);
    cr_expect(fabs(found.within.value - want) < 1e-12, "%g, expected %g", found.within.value, want);
    cr_expect(fabs(found.median.value - median) < 1e-12, "%g, expected %g", found.median.value, median);
    cr_expect(isnan(found.pearson.low), "an interval without samples");
    pairs.group = NULL;
    cr_assert_eq(gw_agreement_compute(&pairs, &found), GW_OK);
    cr_expect(found.groups == 0 && isnan(found.within.value) && isnan(found.median.value));
}

// One sample: its interval is the figure of the rows that it drew.
Test(agreement, samples_draw_rows_or_whole_groups) {
    gw_agreement_pairs pairs = make_pairs();
    for (int grouped = 0; grouped < 2; grouped++) {
        double a[ROWS * GROUPS], b[ROWS * GROUPS], want;
        int32_t times[ROWS];
        int count = 0;
        gw_agreement found;
        pairs.group = grouped ? group : NULL;
        pairs.samples = 1;
        pairs.seed = 5;
        gw_bootstrap_draw(pairs.seed, 0, grouped ? GROUPS : ROWS, times);
        for (int i = 0; i < ROWS; i++)
            for (int k = 0; k < times[grouped ? group[i] : i]; k++) a[count] = x[i], b[count++] = p[i];
        cr_assert_eq(gw_agreement_compute(&pairs, &found), GW_OK);
        cr_expect(fabs(found.pearson.low - gw_pearson(a, b, count)) < 1e-12);
        cr_assert_eq(gw_spearman(a, b, count, &want), GW_OK);
        cr_expect(fabs(found.spearman.high - want) < 1e-12, "%g, expected %g", found.spearman.high, want);
        cr_expect(fabs(found.r2.low - r2_of(a, b, count)) < 1e-12);
    }
}

Test(agreement, constant_numbers_have_none) {
    gw_agreement_pairs pairs = make_pairs();
    gw_agreement found;
    for (int i = 0; i < ROWS; i++) p[i] = 2;
    pairs.samples = 10;
    cr_assert_eq(gw_agreement_compute(&pairs, &found), GW_OK);
    cr_expect(isnan(found.pearson.value) && isnan(found.pearson.low) && isnan(found.spearman.value));
    cr_expect(isnan(found.within.value) && isnan(found.median.value) && found.r2.value <= 0);
}
