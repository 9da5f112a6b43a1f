// SPDX-License-Identifier: MIT
// How a fine-tuned model, or the mean of several, does on a labelled set.
#ifndef GW_RUN_EVALUATE_SET_H
#define GW_RUN_EVALUATE_SET_H

#include "base/status.h"
#include "label/labelled_set.h"
#include "measure/metric.h"
#include "model/model.h"
#include "run/predict.h"

typedef struct {
    const char *const *sets; // [set_count] as for gw_labelled_set_open
    int set_count;
    const char *const *negatives; // [negative_count] FASTA without the label; the sets are FASTA with it then
    int negative_count;
    const char *const *without; // [without_count] sets whose sequences are left out (seen in training)
    int without_count;
    const char *fasta; // genome of sets of regions; may be NULL
    const char *split; // "train", "valid", "test", "all"; NULL: test where the sets have splits, else all
    gw_strands strands;
    int64_t pad_to;         // gw_label_predictor_options
    const char *per_target; // file for one row a target; NULL: none
    const char *curves;     // file for the points of each target's ROC and precision-recall curve; NULL: none
    const char *groups;     // groups of targets, each rated too: "deepsea" or a file (target_groups.h); NULL: none
} gw_eval_set_options;

// Writes to standard output a TSV with the columns
//   scope targets n positives accuracy F1 MCC AUROC AUPRC
// One label: one row, scope its name. Several: the rows mean and median over targets that are not constant, then
// mean_10 and median_10 over those with at least 10 positives, then mean:G and median:G of each group; n is of
// examples, positives the sum over targets. Figures that mean nothing are NA. Constant targets are named in a note. The
// per-target file has the same columns without targets.
gw_status gw_eval_set(gw_model *const *models, int count, const gw_eval_set_options *options) GW_MUST_CHECK;

// The set must have the model's labels: as many, and the same names where there are several.
gw_status gw_check_set_labels(const gw_model *model, const gw_labelled_set *set) GW_MUST_CHECK;

#endif
