// SPDX-License-Identifier: MIT
// Counts, and metrics of the counts in double.
#include "measure/classes.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

gw_status gw_class_counts_make(gw_class_counts *counts, int64_t classes, bool several) {
    *counts = (gw_class_counts){.classes = classes, .several = several};
    counts->right = gw_alloc(3 * classes, sizeof *counts->right);
    if (!counts->right) return GW_ERR_MEMORY;
    counts->called = counts->right + classes;
    counts->actual = counts->called + classes;
    return GW_OK;
}

void gw_class_counts_free(gw_class_counts *counts) {
    free(counts->right);
    *counts = (gw_class_counts){0};
}

void gw_class_counts_add(gw_class_counts *counts, int64_t called, int64_t actual) {
    counts->examples++;
    counts->called[called]++;
    counts->actual[actual]++;
    if (called != actual) return;
    counts->right[called]++;
    counts->exact++;
}

void gw_class_counts_add_several(gw_class_counts *counts, const float *logits, const float *labels) {
    bool exact = true;
    for (int64_t k = 0; k < counts->classes; k++) {
        if (isnan(labels[k])) continue;
        const bool called = logits[k] > 0, actual = labels[k] >= 0.5f;
        counts->called[k] += called;
        counts->actual[k] += actual;
        counts->right[k] += called && actual;
        exact = exact && called == actual;
    }
    counts->examples++;
    counts->exact += exact;
}

static double ratio(double over, double under) {
    return under > 0 ? over / under : 0;
}

static double f1_of(const gw_class_counts *c, int64_t k) {
    return ratio(2 * (double)c->right[k], (double)(c->called[k] + c->actual[k]));
}

static double macro_f1(const gw_class_counts *c) {
    double sum = 0;
    int64_t met = 0;
    for (int64_t k = 0; k < c->classes; k++) {
        if (!c->several && c->called[k] + c->actual[k] == 0) continue;
        sum += f1_of(c, k);
        met++;
    }
    return ratio(sum, (double)met);
}

gw_class_metrics gw_class_metrics_of(const gw_class_counts *c) {
    double right = 0, called = 0, actual = 0, both = 0, called_squares = 0, actual_squares = 0;
    for (int64_t k = 0; k < c->classes; k++) {
        const double a = (double)c->called[k], b = (double)c->actual[k];
        right += (double)c->right[k];
        called += a;
        actual += b;
        both += a * b;
        called_squares += a * a;
        actual_squares += b * b;
    }
    const double s = (double)c->examples, product = (s * s - called_squares) * (s * s - actual_squares);
    return (gw_class_metrics){.accuracy = ratio((double)c->exact, s),
                              .micro_f1 = ratio(2 * right, called + actual),
                              .macro_f1 = macro_f1(c),
                              .mcc = c->several    ? NAN
                                     : product > 0 ? (right * s - both) / sqrt(product)
                                                   : 0,
                              .f1 = !c->several && c->classes == 2 ? f1_of(c, 1) : NAN};
}
