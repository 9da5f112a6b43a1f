// SPDX-License-Identifier: MIT
// The temperature that is fitted, beside the loss written out around it and far from it.
#include "base/parallel.h"
#include "base/random.h"
#include "measure/temperature.h"

#include <criterion/criterion.h>
#include <math.h>

enum { ROWS = 9000, LABELS = 3 };

static float logit[ROWS * 2 * LABELS], value[ROWS * LABELS];
static int32_t class[ROWS];

static double logistic(double z) {
    return 1 / (1 + exp(-z));
}

static double loss_of(const gw_temperature_rows *r, double t) {
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < r->rows * r->labels; i++) {
        const int64_t row = i / r->labels, l = i % r->labels;
        const double y = (double)r->value[i];
        double p = 0, q = 0;
        if (isnan(y)) continue;
        for (int s = 0; s < r->strands; s++) {
            const double z = ((double)r->logit[(row * r->strands + s) * r->labels + l] - r->shift[l]) / t;
            p += logistic(z) / r->strands;
            q += logistic(-z) / r->strands;
        }
        sum -= y > 0 ? log(p) : log(q);
        count++;
    }
    return sum / (double)count;
}

// Labels drawn by the logistic of what the logits, each shifted, are before they are made `sure` times as large.
static gw_temperature_rows draw(int strands, double sure, const double *shift) {
    gw_random random = gw_random_at(3, GW_SITE_TEST, 0, 0);
    for (int64_t i = 0; i < ROWS * LABELS; i++) {
        const double z = 2 * (double)gw_random_normal(&random);
        const int64_t row = i / LABELS, l = i % LABELS;
        for (int s = 0; s < strands; s++)
            logit[(row * strands + s) * LABELS + l] =
                (float)(sure * (z + 0.3 * s * (double)gw_random_normal(&random)) + shift[l]);
        value[i] = (double)gw_random_uniform(&random) < logistic(z) ? 1 : 0;
        if (i % 17 == 0) value[i] = NAN;
    }
    return (gw_temperature_rows){
        .rows = ROWS, .labels = LABELS, .strands = strands, .logit = logit, .shift = shift, .value = value};
}

Test(temperature, is_where_the_loss_is_least) {
    static const double shift[LABELS] = {0, 2, -1};
    for (int strands = 1; strands <= 2; strands++) {
        const gw_temperature_rows rows = draw(strands, 2.5, shift);
        gw_temperature found;
        cr_assert_eq(gw_temperature_fit(&rows, &found), GW_OK);
        cr_assert(found.found);
        cr_assert_float_eq(found.temperature, 2.5, 0.15, "T %g", found.temperature);
        cr_assert_float_eq(found.loss, loss_of(&rows, found.temperature), 1e-9);
        cr_assert_float_eq(found.at_one, loss_of(&rows, 1), 1e-9);
        for (double t = 0.2; t < 90; t *= 1.05)
            cr_assert_leq(found.loss, loss_of(&rows, t) + 1e-9, "%g is better than %g", t, found.temperature);
    }
}

Test(temperature, does_not_depend_on_the_threads) {
    static const double shift[LABELS];
    const gw_temperature_rows rows = draw(1, 0.4, shift);
    gw_temperature one, two;
    const int before = gw_threads();
    gw_set_threads(1);
    cr_assert_eq(gw_temperature_fit(&rows, &one), GW_OK);
    gw_set_threads(3);
    cr_assert_eq(gw_temperature_fit(&rows, &two), GW_OK);
    gw_set_threads(before);
    cr_assert_float_eq(one.temperature, 0.4, 0.03, "T %g", one.temperature);
    cr_assert(one.temperature == two.temperature && one.loss == two.loss);
}

// Softmax of a third of the logits.
static double exclusive_loss(double t) {
    double sum = 0, count = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        double all = 0;
        if (class[i] < 0) continue;
        for (int l = 0; l < LABELS; l++) all += exp((double)logit[i * LABELS + l] / t);
        sum += log(all) - (double)logit[i * LABELS + class[i]] / t;
        count++;
    }
    return sum / count;
}

Test(temperature, of_labels_that_exclude_each_other) {
    gw_random random = gw_random_at(4, GW_SITE_TEST, 0, 0);
    gw_temperature found;
    for (int64_t i = 0; i < ROWS; i++) {
        double best = -INFINITY;
        class[i] = -1;
        for (int l = 0; l < LABELS; l++) {
            const double z = (double)gw_random_normal(&random),
                         noise = -log(-log(fmax((double)gw_random_uniform(&random), 1e-7)));
            logit[i * LABELS + l] = (float)(3 * z);
            if (i % 11 && z + noise > best) best = z + noise, class[i] = l; // Gumbel: drawn by the softmax
        }
    }
    const gw_temperature_rows rows = {.rows = ROWS, .labels = LABELS, .strands = 1, .logit = logit, .label = class};
    cr_assert_eq(gw_temperature_fit(&rows, &found), GW_OK);
    cr_assert_float_eq(found.temperature, 3, 0.15, "T %g", found.temperature);
    cr_assert_float_eq(found.loss, exclusive_loss(found.temperature), 1e-9);
    for (double t = 0.1; t < 90; t *= 1.05) cr_assert_leq(found.loss, exclusive_loss(t) + 1e-9);
}

// What is told without an error has no least loss; what is told wrongly is best not told.
Test(temperature, has_bounds) {
    static const double shift[1];
    gw_temperature found;
    for (int i = 0; i < 20; i++) {
        logit[i] = (float)(i - 9.5);
        value[i] = i > 9;
    }
    const gw_temperature_rows rows = {
        .rows = 20, .labels = 1, .strands = 1, .logit = logit, .shift = shift, .value = value};
    cr_assert_eq(gw_temperature_fit(&rows, &found), GW_OK);
    cr_assert(!found.found && found.temperature == 1 && found.loss == found.at_one);
    for (int i = 0; i < 20; i++) value[i] = 1 - value[i];
    cr_assert_eq(gw_temperature_fit(&rows, &found), GW_OK);
    cr_assert(found.found && found.temperature > 99);
    for (int i = 0; i < 20; i++) value[i] = NAN;
    cr_assert_eq(gw_temperature_fit(&rows, &found), GW_OK);
    cr_assert(!found.found && found.temperature == 1);
}
