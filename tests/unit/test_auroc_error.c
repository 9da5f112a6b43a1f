// SPDX-License-Identifier: MIT
// The standard error of AUROC and of a difference of two, against DeLong's variances and covariances pair by pair.
#include "base/random.h"
#include "measure/metric.h"

#include <criterion/criterion.h>
#include <math.h>

enum { COUNT = 40, STRIDE = 2 };

typedef struct {
    float probability[COUNT * STRIDE], label[COUNT * STRIDE];
} pairs;

static pairs draw(uint64_t seed) {
    pairs p;
    gw_random random = gw_random_at(seed, GW_SITE_TEST, 0, 0);
    for (int i = 0; i < COUNT * STRIDE; i++) {
        p.label[i] = i % 7 == 3 ? NAN : (float)gw_random_below(&random, 2);
        p.probability[i] = (float)(gw_random_below(&random, 8) + (p.label[i] > 0 ? 2 : 0)) / 16; // many ties
    }
    return p;
}

static double wins(float positive, float negative) {
    return positive > negative ? 1 : positive < negative ? 0 : 0.5;
}

// The share of examples of the other kind that example i beats, or is beaten by.
static double value(const pairs *p, int i) {
    double sum = 0, others = 0;
    for (int j = 0; j < COUNT * STRIDE; j += STRIDE) {
        if (isnan(p->label[j]) || p->label[j] == p->label[i]) continue;
        sum +=
            p->label[i] > 0 ? wins(p->probability[i], p->probability[j]) : wins(p->probability[j], p->probability[i]);
        others++;
    }
    return sum / others;
}

// Covariance of two AUROCs of the same labels: S10 / P + S01 / N.
static double covariance(const pairs *a, const pairs *b) {
    double total = 0;
    for (int kind = 0; kind < 2; kind++) {
        double n = 0, sum_a = 0, sum_b = 0, product = 0;
        for (int i = 0; i < COUNT * STRIDE; i += STRIDE) {
            if (a->label[i] != (float)kind) continue;
            n++;
            sum_a += value(a, i);
            sum_b += value(b, i);
            product += value(a, i) * value(b, i);
        }
        total += (product - sum_a * sum_b / n) / (n - 1) / n;
    }
    return total;
}

Test(auroc_error, is_that_of_delong) {
    pairs a = draw(1), b = draw(2);
    double one[COUNT] = {0}, other[COUNT] = {0};
    int64_t known = 0;
    for (int i = 0; i < COUNT * STRIDE; i++) b.label[i] = a.label[i];
    cr_assert_eq(gw_auroc_shares_add(a.probability, a.label, COUNT, STRIDE, 1, one, &known), GW_OK);
    cr_assert_eq(gw_auroc_shares_add(b.probability, b.label, COUNT, STRIDE, 1, other, &known), GW_OK);
    cr_expect_eq(known, 2);
    cr_expect_float_eq(gw_auroc_error(one, NULL, COUNT), sqrt(covariance(&a, &a)), 1e-12);
    cr_expect_float_eq(gw_auroc_error(one, other, COUNT),
                       sqrt(covariance(&a, &a) + covariance(&b, &b) - 2 * covariance(&a, &b)), 1e-12);
    cr_expect_eq(gw_auroc_error(one, one, COUNT), 0);
}

Test(auroc_error, of_a_mean_over_targets) {
    const pairs a = draw(3);
    double one[COUNT] = {0}, mean[COUNT] = {0};
    int64_t known = 0;
    cr_assert_eq(gw_auroc_shares_add(a.probability, a.label, COUNT, STRIDE, 1, one, &known), GW_OK);
    for (int twice = 0; twice < 2; twice++)
        cr_assert_eq(gw_auroc_shares_add(a.probability, a.label, COUNT, STRIDE, 0.5, mean, &known), GW_OK);
    cr_expect_float_eq(gw_auroc_error(mean, NULL, COUNT), gw_auroc_error(one, NULL, COUNT), 1e-12);
}

Test(auroc_error, needs_two_of_a_kind) {
    const float probability[] = {.1f, .2f, .3f, .4f}, label[] = {1, 0, 0, 0};
    double share[4] = {0};
    int64_t known = 0;
    cr_assert_eq(gw_auroc_shares_add(probability, label, 4, 1, 1, share, &known), GW_OK);
    cr_expect_eq(known, 0);
    for (int i = 0; i < 4; i++) cr_expect_eq(share[i], 0);
}
