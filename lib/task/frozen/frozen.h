// SPDX-License-Identifier: MIT
// Evaluation of models on labels that they were not trained on: a linear probe on each model's mean hidden states,
// beside one on the frequencies of k-mers, in one table.
#ifndef GW_TASK_FROZEN_FROZEN_H
#define GW_TASK_FROZEN_FROZEN_H

#include "task/evaluate.h"

// Writes to standard output a TSV with a row for each model, named as in options->in.models, and, for windows, a row
// for K-mers (K from 3 to 6, for numbers 3 to 5, chosen like the strength):
//   predictor features train valid test labels strength, then accuracy F1 MCC AUROC AUPRC, or of numbers pearson
//   spearman R2, each with a column ..._sd
// Values are means over options->seeds seeds, with their standard deviations. strength is the median over the seeds.
// valid is 0 if each seed draws a tenth of the training rows. Undefined metrics are NA.
gw_status gw_eval_frozen(gw_model *const *models, int count, const gw_eval_options *options) GW_MUST_CHECK;

#endif
