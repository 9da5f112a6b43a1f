// SPDX-License-Identifier: MIT
// What models know of labels that they were not trained on: a linear probe over each one's mean hidden states, beside
// one over the frequencies of k-mers, in one table.
#ifndef GW_TASK_FROZEN_FROZEN_H
#define GW_TASK_FROZEN_FROZEN_H

#include "task/evaluate.h"

// Writes to standard output a TSV with a row for each model, called as in options->in.models, and, of windows, one for
// K-mers (K of 3 to 6, of numbers 3 to 5, chosen as the strength is):
//   predictor features train valid test labels strength, then accuracy F1 MCC AUROC AUPRC, or of numbers pearson
//   spearman R2, each with a column ..._sd
// means over options->seeds seeds and their standard deviations; strength is the middle one of the seeds', valid 0
// where each seed's tenth of the training rows is. Metrics that mean nothing are NA.
gw_status gw_eval_frozen(gw_model *const *models, int count, const gw_eval_options *options) GW_MUST_CHECK;

#endif
