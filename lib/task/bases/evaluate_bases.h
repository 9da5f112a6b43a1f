// SPDX-License-Identifier: MIT
// How a model of labels of bases does on a set of them.
#ifndef GW_TASK_BASES_EVALUATE_BASES_H
#define GW_TASK_BASES_EVALUATE_BASES_H

#include "model/model.h"
#include "task/evaluate.h"

// Writes to standard output a TSV with the columns
//   predictor class bases sites AUPRC top_k precision recall
// a row for each class but none, and before them the means over those that have sites (bases: of all windows). With
// options->orfs open reading frames (orfs.h) are rated beside the model, by their lengths, where the set has classes
// CDS, start or stop; those of at least 300 bp are called.
gw_status gw_eval_bases(gw_model *model, const gw_eval_options *options) GW_MUST_CHECK;

#endif
