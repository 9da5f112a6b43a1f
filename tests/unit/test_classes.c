// SPDX-License-Identifier: MIT
// Figures of classes and correlations, against values worked out by hand and by their definitions.
#include "measure/agreement.h"
#include "measure/metric.h"

#include <criterion/criterion.h>
#include <math.h>

static void near(double found, double expected) {
    cr_expect(fabs(found - expected) < 1e-12, "%.15g, expected %.15g", found, expected);
}

// The confusion matrix (rows: actual) 2 1 0 / 0 3 1 / 1 0 2, and a class that never occurs.
Test(classes, three_classes) {
    static const int matrix[3][3] = {{2, 1, 0}, {0, 3, 1}, {1, 0, 2}};
    gw_class_counts counts;
    cr_assert_eq(gw_class_counts_make(&counts, 4, false), GW_OK);
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < matrix[a][c]; i++) gw_class_counts_add(&counts, c, a);
    const gw_class_metrics f = gw_class_metrics_of(&counts);
    near(f.accuracy, 0.7);
    near(f.micro_f1, 0.7);
    near(f.macro_f1, (2. * 2 / 6 + 2. * 3 / 8 + 2. * 2 / 6) / 3);
    // c s - sum p t = 7 * 10 - (3 * 3 + 4 * 4 + 3 * 3); s^2 - sum p^2 = s^2 - sum t^2 = 100 - 34
    near(f.mcc, (70. - 34.) / 66.);
    cr_expect(isnan(f.f1));
    gw_class_counts_free(&counts);
}

Test(classes, two_classes_are_the_usual_metrics) {
    gw_class_counts counts;
    cr_assert_eq(gw_class_counts_make(&counts, 2, false), GW_OK);
    const double tp = 5, fp = 2, fn = 1, tn = 4;
    for (int i = 0; i < 5; i++) gw_class_counts_add(&counts, 1, 1);
    for (int i = 0; i < 2; i++) gw_class_counts_add(&counts, 1, 0);
    gw_class_counts_add(&counts, 0, 1);
    for (int i = 0; i < 4; i++) gw_class_counts_add(&counts, 0, 0);
    const gw_class_metrics f = gw_class_metrics_of(&counts);
    near(f.f1, 2 * tp / (2 * tp + fp + fn));
    near(f.mcc, (tp * tn - fp * fn) / sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)));
    gw_class_counts_free(&counts);
    cr_assert_eq(gw_class_counts_make(&counts, 2, false), GW_OK);
    for (int i = 0; i < 3; i++) gw_class_counts_add(&counts, 0, i % 2);
    near(gw_class_metrics_of(&counts).mcc, 0); // one class alone is called
    gw_class_counts_free(&counts);
}

Test(classes, several_labels) {
    static const float logits[3][2] = {{1, -1}, {2, 3}, {-1, -2}}, labels[3][2] = {{1, 0}, {1, 0}, {0, NAN}};
    gw_class_counts counts;
    cr_assert_eq(gw_class_counts_make(&counts, 2, true), GW_OK);
    for (int i = 0; i < 3; i++) gw_class_counts_add_several(&counts, logits[i], labels[i]);
    const gw_class_metrics f = gw_class_metrics_of(&counts);
    near(f.accuracy, 2. / 3);
    near(f.micro_f1, 2. * 2 / (3 + 2));
    near(f.macro_f1, 0.5); // 1 of the first, 0 of the second
    cr_expect(isnan(f.mcc));
    gw_class_counts_free(&counts);
}

Test(classes, correlations) {
    static const double x[5] = {1, 2, 2, 4, 10}, y[5] = {1, 3, 2, 8, 6};
    double spearman;
    // ranks of x: 0 1.5 1.5 3 4; of y: 0 2 1 4 3
    cr_assert_eq(gw_spearman(x, y, 5, &spearman), GW_OK);
    near(spearman, (4 + 0.5 * 0 + 0.5 * 1 + 1 * 2 + 2 * 1) / sqrt(9.5 * 10));
    double xy = 0, xx = 0, yy = 0;
    for (int i = 0; i < 5; i++) {
        xy += (x[i] - 3.8) * (y[i] - 4);
        xx += (x[i] - 3.8) * (x[i] - 3.8);
        yy += (y[i] - 4) * (y[i] - 4);
    }
    near(gw_pearson(x, y, 5), xy / sqrt(xx * yy));
    cr_expect(isnan(gw_pearson(x, (double[5]){2, 2, 2, 2, 2}, 5)));
}
