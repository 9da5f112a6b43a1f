// SPDX-License-Identifier: MIT
// Evaluation of a fine-tuned model, or of the average of several, on a labelled set.
#ifndef GW_TASK_WINDOWS_EVALUATE_SET_H
#define GW_TASK_WINDOWS_EVALUATE_SET_H

#include "label/labelled_set.h"
#include "measure/metric.h"
#include "task/evaluate.h"

// Writes to standard output a TSV with the columns
//   scope targets n positives accuracy F1 MCC AUROC AUPRC
// One label: one row with its name as scope. Several labels: the rows mean and median over targets that are not
// constant, then mean_10 and median_10 over those with at least 10 positives, then mean:G and median:G of each group. n
// is the number of examples, positives the sum over targets. Undefined metrics are NA. A note names constant targets.
// The per-target file has the same columns except targets.
//
// For a model with labels that are numbers: a row for each of them, with the columns
//   label n pearson spearman r2
// and with options->within groups, lone, within, median. Each metric has columns _low and _high (agreement.h, 1,000
// samples). options->scatter gets the columns label, measured, predicted and the description of the row, for known
// numbers.
gw_status gw_eval_set(gw_model *const *models, int count, const gw_eval_options *options) GW_MUST_CHECK;

// Removes the examples that also occur in options->without, and notes their number.
gw_status gw_drop_seen(gw_labelled_set *set, const gw_eval_options *options, gw_genome *genome) GW_MUST_CHECK;

// Fails unless the set has the model's labels: the same number, and the same names if there are several.
gw_status gw_check_set_labels(const gw_model *model, const gw_labelled_set *set) GW_MUST_CHECK;

#endif
