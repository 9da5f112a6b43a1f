// SPDX-License-Identifier: MIT
// A linear classifier, or a regression, on given features, to measure their information about labels (Alain and Bengio,
// 2016, linear probes).
//
// For each label, x are the features minus their means, divided by their standard deviations on the training rows. The
// probe minimises
//   1 / n sum over the training rows of (y softplus(-z) + (1 - y) softplus(z)) + strength / 2 |w|^2,   z = w . x + b
// The strength is 1e-4, 1e-3 ... or 1e2, whichever gives the lowest loss on the validation rows. If rows have one of
// several classes, p_k is 1 / (1 + exp(-z_k)) divided by the sum of these.
//
// For numbers the probe minimises 1 / n sum (y - z)^2 / 2 + strength / 2 |w|^2 (measure/regression.h), and the loss is
// (y - z)^2 divided by the variance of the label's training rows.
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
    bool exclusive; // exactly one label of each row is 1
    bool numbers;
} gw_probe_labels;
void gw_probe_labels_free(gw_probe_labels *labels);
// For classes accuracy, F1, MCC, AUROC, AUPRC; for numbers Pearson's and Spearman's correlation and R^2. Returns their
// number.
int gw_probe_metric_names(bool numbers, const char *const **names);

typedef struct {
    const gw_sparse_rows *rows;
    const gw_probe_labels *labels;
} gw_probe_part;

typedef struct {
    double strength, valid_loss; // mean over labels
    double of[GW_PROBE_METRICS]; // on the test rows: means over labels that are not constant; for rows with one of
                                 // several classes accuracy, macro F1 and MCC; for numbers NaN if a label is constant
} gw_probe_result;

// Each seed sets aside a tenth of the training rows, drawn row by row; they are the validation rows if `valid` has
// none. The same seed gives the same result on any number of threads.
gw_status gw_probe(const gw_probe_part *train, const gw_probe_part *valid, const gw_probe_part *test, uint64_t seed,
                   gw_probe_result *out) GW_MUST_CHECK;

#endif
