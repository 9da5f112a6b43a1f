// SPDX-License-Identifier: MIT
// Metrics against scikit-learn 1.9.1 (accuracy_score, f1_score, matthews_corrcoef, roc_auc_score,
// average_precision_score; classes by p >= 0.5).
#include "measure/metric.h"

#include <criterion/criterion.h>
#include <math.h>

typedef struct {
    int count;
    float probability[12], label[12];
    double accuracy, f1, mcc, auroc, auprc;
} golden;

static const golden goldens[] = {
    {12,
     {.125f, .25f, .75f, .625f, .125f, .375f, .5f, .125f, .75f, .125f, .375f, .5f},
     {0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0},
     0.66666666666666663,
     0.5,
     0.29277002188455997,
     0.61111111111111116,
     0.3833333333333333},
    {4, {.9f, .8f, .7f, .6f}, {1, 1, 0, 0}, 0.5, 0.66666666666666663, 0, 1, 1},
    {4, {.1f, .1f, .1f, .1f}, {1, 0, 0, 0}, 0.75, 0, 0, 0.5, 0.25},
    {7,
     {.2f, .4f, .5f, .5f, .5f, .9f, .1f},
     {0, 1, 1, 0, 1, 0, 0},
     0.5714285714285714,
     0.5714285714285714,
     0.16666666666666666,
     0.58333333333333337,
     0.53333333333333333},
};

static void expect(double found, double wanted, const char *what) {
    cr_assert_float_eq(found, wanted, 1e-15, "%s: %.17g, expected %.17g", what, found, wanted);
}

Test(metric, goldens) {
    for (size_t g = 0; g < sizeof goldens / sizeof goldens[0]; g++) {
        gw_metric m;
        cr_assert_eq(gw_metric_compute(goldens[g].probability, goldens[g].label, goldens[g].count, 1, &m), GW_OK);
        cr_assert_eq(m.count, goldens[g].count);
        cr_assert_not(m.constant);
        expect(m.accuracy, goldens[g].accuracy, "accuracy");
        expect(m.f1, goldens[g].f1, "F1");
        expect(m.mcc, goldens[g].mcc, "MCC");
        expect(m.auroc, goldens[g].auroc, "AUROC");
        expect(m.auprc, goldens[g].auprc, "AUPRC");
    }
}

Test(metric, missing_labels_and_strides) {
    const float probability[] = {.9f, .3f, .2f, .3f, .8f, .3f}, label[] = {1, NAN, 0, 1, NAN, 0};
    gw_metric m;
    cr_assert_eq(gw_metric_compute(probability, label, 3, 2, &m), GW_OK); // 0.9: 1, 0.2: 0, 0.8: missing
    cr_assert_eq(m.count, 2);
    cr_assert_eq(m.positives, 1);
    expect(m.auroc, 1, "AUROC");
    cr_assert_eq(gw_metric_compute(probability + 1, label + 1, 3, 2, &m), GW_OK);
    cr_assert_eq(m.count, 2);
    expect(m.auroc, 0.5, "AUROC of ties");
}

Test(metric, constant_and_empty_targets) {
    const float probability[] = {.9f, .3f}, label[] = {1, 1};
    gw_metric m;
    cr_assert_eq(gw_metric_compute(probability, label, 2, 1, &m), GW_OK);
    cr_assert(m.constant);
    expect(m.accuracy, 0.5, "accuracy");
    cr_assert(isnan(m.auroc) && isnan(m.auprc));
    cr_assert_eq(gw_metric_compute(probability, label, 0, 1, &m), GW_OK);
    cr_assert(m.constant);
    cr_assert_eq(m.count, 0);
    cr_assert(isnan(m.accuracy));
}

Test(metric, summary_leaves_constant_and_rare_targets_out) {
    const gw_metric metrics[] = {{.count = 40, .positives = 12, .auroc = .9, .f1 = .1},
                                 {.count = 40, .positives = 3, .auroc = .5, .f1 = .2},
                                 {.count = 40, .positives = 40, .auroc = NAN, .constant = true},
                                 {.count = 40, .positives = 20, .auroc = .8, .f1 = .6},
                                 {.count = 40, .positives = 10, .auroc = .6, .f1 = .5}};
    gw_metric_summary all, common;
    cr_assert_eq(gw_metric_summarise(metrics, 5, 0, &all), GW_OK);
    cr_assert_eq(gw_metric_summarise(metrics, 5, 10, &common), GW_OK);
    cr_assert_eq(all.targets, 4);
    expect(all.mean.auroc, 0.7, "mean AUROC");
    expect(all.median.auroc, 0.7, "median of an even number");
    expect(all.median.f1, 0.35, "median F1");
    cr_assert_eq(common.targets, 3);
    expect(common.median.auroc, 0.8, "median of an odd number");
    expect(common.mean.f1, 0.4, "mean F1");
}
