// SPDX-License-Identifier: MIT
// Metrics of predicted classes of bases, for each class.
#ifndef GW_TASK_BASES_EVALUATE_BASES_H
#define GW_TASK_BASES_EVALUATE_BASES_H

#include "measure/temperature.h"
#include "model/model.h"
#include "task/bases/base_set.h"
#include "task/evaluate.h"

#include <stdint.h>

typedef struct {
    int64_t bases, sites;     // all bases; bases of the class
    double auprc, top_k;      // measure/metric.h; NaN if the class has no site
    double precision, recall; // of calling the most probable class at each base, or, if classes overlap, those with at
                              // least 0.5; NaN for 0 / 0
} gw_site_metrics;

typedef struct {
    double loss;         // mean of -ln p of the right class; if classes overlap, over each class
    double accuracy;     // share of bases with correct calls
    double auprc, top_k; // means over the classes with sites, except none
    gw_site_metrics *of; // [classes]
} gw_base_metrics;

// Probabilities and classes of all bases of a set.
typedef struct {
    const gw_base_set *set;
    int64_t classes;
    bool overlap;       // of the model
    float *probability; // [bases][classes]
    int32_t *class;     // [bases] from the set
    int64_t taken;      // bases so far
    float *column[2];   // [bases] scratch
    double *no_shift;   // [classes]
    gw_base_metrics metrics;
} gw_base_evaluator;

// Borrows the set. Free `out`, also after a failure.
gw_status gw_base_evaluator_make(const gw_base_set *set, const gw_config *model, gw_base_evaluator *out) GW_MUST_CHECK;
void gw_base_evaluator_free(gw_base_evaluator *evaluator); // zeros are fine
// Runs the network over the set. progress: name of the progress display; or NULL.
gw_status gw_base_evaluator_run(gw_base_evaluator *evaluator, gw_base_network *network,
                                const char *progress) GW_MUST_CHECK;
// Computes evaluator->metrics from the probabilities.
gw_status gw_base_evaluator_rate(gw_base_evaluator *evaluator) GW_MUST_CHECK;
// Logits of 100,000 evenly spaced bases, for the temperature. The evaluator keeps only these.
gw_status gw_base_evaluator_logits(gw_base_evaluator *evaluator, gw_temperature_rows *out) GW_MUST_CHECK;

// Evaluation of a model of labels of bases on a set.

// Writes to standard output a TSV with the columns
//   predictor class bases sites AUPRC top_k precision recall
// There is a row for each class except none, after a row of the means over classes with sites (bases: of all windows).
// options->orfs adds open reading frames as a predictor, scored by length, if the set has classes CDS, start or stop.
// Those with at least 300 bp are called.
gw_status gw_eval_bases(gw_model *model, const gw_eval_options *options) GW_MUST_CHECK;

#endif
