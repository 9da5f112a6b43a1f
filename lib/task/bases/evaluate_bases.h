// SPDX-License-Identifier: MIT
// Metrics of a model's probabilities of the classes of bases, class by class.
#ifndef GW_TASK_BASES_EVALUATE_BASES_H
#define GW_TASK_BASES_EVALUATE_BASES_H

#include "measure/temperature.h"
#include "model/model.h"
#include "task/bases/base_set.h"
#include "task/evaluate.h"

#include <stdint.h>

typedef struct {
    int64_t bases, sites;     // all; those of the class
    double auprc, top_k;      // measure/metric.h, measure/top_k.h; NaN where the class has no site
    double precision, recall; // of calling each base the class that is most probable, or, of classes that overlap,
                              // those of 0.5 and more; NaN for 0 / 0
} gw_site_metrics;

typedef struct {
    double loss;         // mean of -ln p of what is right; of classes that overlap over each of them
    double accuracy;     // of bases whose calls are right
    double auprc, top_k; // means over the classes with sites but none
    gw_site_metrics *of; // [classes]
} gw_base_metrics;

// Everything about a set: probabilities and classes of all its bases.
typedef struct {
    const gw_base_set *set;
    int64_t classes;
    bool overlap;       // of the model's classes
    float *probability; // [bases][classes]
    int32_t *class;     // [bases] as the set has it
    int64_t taken;      // bases so far
    float *column[2];   // [bases] scratch
    double *no_shift;   // [classes]
    gw_base_metrics metrics;
} gw_base_evaluator;

// Borrows the set. Free it, also on failure.
gw_status gw_base_evaluator_make(const gw_base_set *set, const gw_config *model, gw_base_evaluator *out) GW_MUST_CHECK;
void gw_base_evaluator_free(gw_base_evaluator *evaluator); // zeros are fine
// Runs the network over the set. progress: NULL, or the name of the progress note.
gw_status gw_base_evaluator_run(gw_base_evaluator *evaluator, gw_base_network *network,
                                const char *progress) GW_MUST_CHECK;
// Of the probabilities that are there: evaluator->metrics.
gw_status gw_base_evaluator_rate(gw_base_evaluator *evaluator) GW_MUST_CHECK;
// Logits of the probabilities of 100,000 bases, evenly spaced, for the temperature; the evaluator has no others then.
gw_status gw_base_evaluator_logits(gw_base_evaluator *evaluator, gw_temperature_rows *out) GW_MUST_CHECK;

// How a model of labels of bases does on a set of them.

// Writes to standard output a TSV with the columns
//   predictor class bases sites AUPRC top_k precision recall
// a row for each class but none, and before them the means over those that have sites (bases: of all windows). With
// options->orfs open reading frames are rated beside the model, by their lengths, where the set has classes
// CDS, start or stop; those of at least 300 bp are called.
gw_status gw_eval_bases(gw_model *model, const gw_eval_options *options) GW_MUST_CHECK;

#endif
