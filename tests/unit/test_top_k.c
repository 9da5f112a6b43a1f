// SPDX-License-Identifier: MIT
// Top-k accuracy by hand, with ties at the last one called.
#include "measure/metric.h"

#include <criterion/criterion.h>
#include <math.h>

static double top_k(const float *probability, const float *label, int64_t count) {
    double found;
    cr_assert_eq(gw_top_k(probability, label, count, &found), GW_OK);
    return found;
}

Test(top_k, the_share_of_the_k_highest_that_are_right) {
    const float p[] = {0.9F, 0.1F, 0.8F, 0.7F, 0.2F}, first[] = {1, 0, 1, 0, 0}, last[] = {0, 1, 0, 0, 1};
    const float mixed[] = {1, 1, 0, 0, 1};
    cr_expect_eq(top_k(p, first, 5), 1);
    cr_expect_eq(top_k(p, last, 5), 0);
    cr_expect_float_eq(top_k(p, mixed, 5), 1.0 / 3, 1e-12); // of 0.9, 0.8 and 0.7
}

Test(top_k, ties_are_called_evenly) {
    const float p[] = {0.9F, 0.5F, 0.5F, 0.5F, 0.5F, 0.1F}, label[] = {0, 1, 0, 0, 0, 1};
    cr_expect_float_eq(top_k(p, label, 6), 0.25 / 2, 1e-12); // one of four ties, a quarter of which is right
    const float same[] = {0.3F, 0.3F, 0.3F, 0.3F}, half[] = {1, 0, 1, 0};
    cr_expect_float_eq(top_k(same, half, 4), 0.5, 1e-12);
}

Test(top_k, means_nothing_without_sites) {
    const float p[] = {0.9F, 0.5F}, label[] = {0, 0};
    cr_expect(isnan(top_k(p, label, 2)));
}
