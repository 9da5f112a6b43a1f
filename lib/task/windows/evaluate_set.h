// SPDX-License-Identifier: MIT
// How a fine-tuned model, or the mean of several, does on a labelled set.
#ifndef GW_TASK_WINDOWS_EVALUATE_SET_H
#define GW_TASK_WINDOWS_EVALUATE_SET_H

#include "label/labelled_set.h"
#include "measure/metric.h"
#include "task/evaluate.h"

// Writes to standard output a TSV with the columns
//   scope targets n positives accuracy F1 MCC AUROC AUPRC
// One label: one row, scope its name. Several: the rows mean and median over targets that are not constant, then
// mean_10 and median_10 over those with at least 10 positives, then mean:G and median:G of each group; n is of
// examples, positives the sum over targets. Metrics that mean nothing are NA. Constant targets are named in a note. The
// per-target file has the same columns without targets.
//
// A model whose labels are numbers: a row for each of them, with the columns
//   label n pearson spearman r2
// and with options->within groups, lone, within, median, each metric with columns _low and _high (agreement.h, 1,000
// samples). options->scatter gets the columns label, measured, predicted and what names the row, of numbers that are
// known.
gw_status gw_eval_set(gw_model *const *models, int count, const gw_eval_options *options) GW_MUST_CHECK;

// Leaves out the examples that also occur in options->without, and notes how many.
gw_status gw_drop_seen(gw_labelled_set *set, const gw_eval_options *options, gw_genome *genome) GW_MUST_CHECK;

// The set must have the model's labels: as many, and the same names where there are several.
gw_status gw_check_set_labels(const gw_model *model, const gw_labelled_set *set) GW_MUST_CHECK;

#endif
