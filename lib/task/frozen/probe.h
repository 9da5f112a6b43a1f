// SPDX-License-Identifier: MIT
// A linear classifier, or a regression, over given features: how much of the labels these tell (Alain and
// Bengio, 2016, linear probes).
//
// Of each label, with x the features less their means over their standard deviations on the training rows,
//   1 / n sum over the training rows of (y softplus(-z) + (1 - y) softplus(z)) + strength / 2 |w|^2,   z = w . x + b
// is least. Strengths are 1e-4, 1e-3 ... 1e2; that of the least loss on the validation rows counts. Of rows that have
// one of several classes p_k is 1 / (1 + exp(-z_k)) over the sum of these.
//
// Of numbers it is 1 / n sum (y - z)^2 / 2 + strength / 2 |w|^2 that is least (measure/ridge.h), and the loss is
// (y - z)^2 over the variance of the label's training rows.
#ifndef GW_TASK_FROZEN_PROBE_H
#define GW_TASK_FROZEN_PROBE_H

#include "measure/regression.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_PROBE_STRENGTHS = 7, GW_PROBE_METRICS = 5 };

// Labels of rows [rows][labels]: 0, 1, or any number; NaN: missing.
typedef struct {
    int64_t rows, labels;
    float *label;
    bool exclusive; // of each row exactly one is 1
    bool numbers;
} gw_probe_labels;
void gw_probe_labels_free(gw_probe_labels *labels);
// Of classes accuracy, F1, MCC, AUROC, AUPRC; of numbers Pearson's and Spearman's correlation and R^2. Returns how
// many.
int gw_probe_metric_names(bool numbers, const char *const **names);

typedef struct {
    const gw_sparse_rows *rows;
    const gw_probe_labels *labels;
} gw_probe_part;

typedef struct {
    double strength, valid_loss; // the mean over labels
    double of[GW_PROBE_METRICS]; // on the test rows: means over labels that are not constant there; of rows with one
                                 // of several classes accuracy, macro F1 and MCC of the classes; of numbers NaN where
                                 // a label is constant
} gw_probe_result;

// A seed leaves a tenth of the training rows out, drawn row by row: those are the validation rows where `valid` has
// none. The same seed gives the same result, whatever the number of threads.
gw_status gw_probe(const gw_probe_part *train, const gw_probe_part *valid, const gw_probe_part *test, uint64_t seed,
                   gw_probe_result *out) GW_MUST_CHECK;

#endif
