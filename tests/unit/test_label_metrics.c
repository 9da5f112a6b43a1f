// SPDX-License-Identifier: MIT
// The loss of labels from probabilities against that of logits, the constant predictor, what makes weights better, and
// the watch over a loss that stays at chance.
#include "task/finetune.h"
#include "task/windows/window_metrics.h"

#include <criterion/criterion.h>
#include <math.h>

// w y softplus(-z) + (1 - y) softplus(z)
static double loss_of_logit(double z, double y, double w) {
    return w * y * log1p(exp(-z)) + (1 - y) * log1p(exp(z));
}

Test(label_metrics, the_loss_is_that_of_the_logit_behind_a_probability) {
    for (double w = 0.5; w < 20; w *= 4)
        for (double z = -6; z <= 6; z += 0.75)
            for (double y = 0; y <= 1; y += 0.25) {
                const double p = 1 / (1 + exp(-(z - log(w))));
                cr_assert_float_eq(gw_label_loss(p, y, w), loss_of_logit(z, y, w), 1e-12);
            }
    cr_assert(isfinite(gw_label_loss(0, 1, 8)) && isfinite(gw_label_loss(1, 0, 8)));
}

Test(label_metrics, frequencies_are_the_best_constants) {
    enum { EXAMPLES = 10, LABELS = 2 };
    gw_config config = {.labels = LABELS, .positive_weight = 8};
    float values[EXAMPLES * LABELS];
    for (int i = 0; i < EXAMPLES; i++) {
        values[2 * i] = i < 3 ? 1 : 0;
        values[2 * i + 1] = i == 9 ? 0.5f : i > 5 ? 1 : i > 2 ? 0 : NAN;
    }
    const double best[] = {0.3, 3.5 / 7}, least = gw_label_loss_of_constant(&config, values, EXAMPLES, best);
    for (int l = 0; l < LABELS; l++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double other[] = {best[0], best[1]};
            other[l] += 0.01 * sign;
            cr_assert_gt(gw_label_loss_of_constant(&config, values, EXAMPLES, other), least);
        }
    float same[EXAMPLES * LABELS];
    for (int i = 0; i < EXAMPLES * LABELS; i++) same[i] = (float)best[i % 2];
    cr_assert_float_eq(gw_label_loss_of(&config, values, EXAMPLES, same), least, 1e-7);
    config.labels = 1;
    const float none[] = {NAN};
    cr_assert_eq(gw_label_loss_of(&config, none, 1, same), 0);
}

Test(label_metrics, criteria) {
    const gw_config config = {.labels = 2, .positive_weight = 1};
    const float values[] = {1, 0, 0, 0, 1, 0, 0, 0}, good[] = {.9f, .1f, .2f, .1f, .8f, .1f, .1f, .1f},
                bad[] = {.1f, .1f, .2f, .1f, .8f, .1f, .9f, .1f};
    gw_metric metrics[2];
    gw_label_metrics a, b;
    cr_assert_eq(gw_label_metrics_compute(&config, values, good, 4, metrics, &a), GW_OK);
    cr_assert_eq(gw_label_metrics_compute(&config, values, bad, 4, metrics, &b), GW_OK);
    cr_assert_eq(a.summary.targets, 1); // the other is constant
    static const char *const names[] = {"auroc", "auprc", "f1", "loss"};
    for (int c = 0; c < 4; c++) {
        const gw_criterion by = gw_criterion_by_name(names[c]);
        cr_assert_eq((int)by, c);
        cr_assert_gt(gw_label_metrics_value(&a, by), gw_label_metrics_value(&b, by), "%s", names[c]);
    }
    cr_assert_eq(gw_label_metrics_value(&a, GW_BY_AUROC), 1);
    cr_assert_float_eq(gw_label_metrics_value(&b, GW_BY_AUROC), 0.25, 1e-12);
    const float constant[8] = {0};
    cr_assert_eq(gw_label_metrics_compute(&config, constant, good, 4, metrics, &a), GW_ERR_MISMATCH);
}

Test(label_metrics, chance_is_left_or_warned_of_ever_less_often) {
    gw_chance stays = {.patience = 10}, leaves = {.patience = 10};
    int warnings = 0;
    for (int step = 1; step <= 100; step++) {
        const bool warns = gw_chance_stays(&stays, 0.7, 0.69);
        warnings += warns;
        cr_assert_eq(warns, step == 10 || step == 20 || step == 40 || step == 80);
        cr_assert_not(gw_chance_stays(&leaves, 0.6, 0.69));
    }
    cr_assert_eq(warnings, 4);
    int64_t late = 0; // a run that gets worse than guessing after it was better
    for (int step = 1; step <= 400 && !late; step++)
        if (gw_chance_stays(&leaves, 0.8, 0.69)) late = step;
    cr_assert(late > 10 && late < 100);
}
