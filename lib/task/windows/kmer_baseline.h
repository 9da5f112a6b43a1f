// SPDX-License-Identifier: MIT
// What a logistic regression on k-mer frequencies makes of a labelled set: the least that a model must do better than.
#ifndef GW_TASK_WINDOWS_KMER_BASELINE_H
#define GW_TASK_WINDOWS_KMER_BASELINE_H

#include "label/labelled_set.h"
#include "task/windows/label_metrics.h"

#include <stdbool.h>

typedef struct {
    gw_labelled_set *train, *valid;
    const gw_config *config; // labels and weights of positives
    const float *values;     // [valid examples][labels]
    bool both_strands;       // a k-mer and its reverse complement are one
    gw_criterion by;         // k and the strength of the penalty are chosen by
} gw_kmer_baseline_options;

typedef struct {
    int k;                    // 3 to 6
    double c;                 // 1, 0.03 or 0.001 (gw_logistic_problem)
    int64_t labels;           // that were rated
    float *values;            // [valid examples][labels], NaN of labels that were not. free() it
    gw_label_metrics metrics; // of the probabilities for the validation set
    double *share;            // [valid examples] of their mean AUROC (gw_label_shares()). free() it
} gw_kmer_baseline;

// Labels that take about a minute of a core at most: one for each 15 million bases of the two sets' windows, at least
// one, at most all. Those rated are evenly spread.
int64_t gw_kmer_baseline_labels(const gw_labelled_set *train, const gw_labelled_set *valid);
// The same input gives the same result, whatever the number of threads.
gw_status gw_kmer_baseline_run(const gw_kmer_baseline_options *options, gw_kmer_baseline *out) GW_MUST_CHECK;

#endif
