// SPDX-License-Identifier: MIT
// What a model's probabilities of the classes of bases are worth, class by class.
#ifndef GW_TASK_BASES_BASE_EVALUATOR_H
#define GW_TASK_BASES_BASE_EVALUATOR_H

#include "base/json.h"
#include "measure/temperature.h"
#include "task/bases/base_set.h"

typedef enum { GW_BY_CLASS_AUPRC, GW_BY_TOP_K, GW_BY_BASE_LOSS } gw_base_criterion;
#define GW_BASE_CRITERIA "auprc|top-k|loss"
int gw_base_criterion_by_name(const char *name); // one of GW_BASE_CRITERIA; NULL: auprc; -1: none of them

typedef struct {
    int64_t bases, sites;     // all; those of the class
    double auprc, top_k;      // measure/metric.h; NaN where the class has no site
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
// Runs the network over the set. progress: NULL, or what the note of it is called.
gw_status gw_base_evaluator_run(gw_base_evaluator *evaluator, gw_base_network *network,
                                const char *progress) GW_MUST_CHECK;
// Of the probabilities that are there: evaluator->metrics.
gw_status gw_base_evaluator_rate(gw_base_evaluator *evaluator) GW_MUST_CHECK;
// Logits of the probabilities of 100,000 bases, evenly spaced, for the temperature; the evaluator has no others then.
gw_status gw_base_evaluator_logits(gw_base_evaluator *evaluator, gw_temperature_rows *out) GW_MUST_CHECK;
double gw_base_metrics_value(const gw_base_metrics *metrics, gw_base_criterion by); // more is better
void gw_base_metrics_report(const gw_base_metrics *metrics, const char *prefix, json_t *row);

#endif
