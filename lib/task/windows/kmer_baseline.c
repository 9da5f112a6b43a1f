// SPDX-License-Identifier: MIT
// One k after the other, all labels and strengths of it at the same time.
#include "task/windows/windows_private.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "measure/regression.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { FIRST_K = 3, LAST_K = 6, STRENGTHS = 3 };
static const double strengths[STRENGTHS] = {1, 0.03, 0.001};

int64_t gw_kmer_baseline_labels(const gw_labelled_set *train, const gw_labelled_set *valid) {
    static const int64_t most_bases = 15000000;
    const int64_t bases = gw_labelled_set_count(train) * gw_labelled_set_longest(train) +
                          gw_labelled_set_count(valid) * gw_labelled_set_longest(valid);
    const int64_t most = most_bases / (bases + 1) + 1, labels = gw_labelled_set_labels(train);
    return most < labels ? most : labels;
}

typedef struct {
    const gw_kmer_baseline_options *options;
    int64_t labels, rated, examples; // of the validation set
    float *train_values;             // [train examples][labels]
    float *probability[STRENGTHS];   // [valid examples][labels]
    gw_metric *metrics;              // [labels]
    gw_kmer_rows train, valid;
    atomic_bool failed; // of memory
    gw_kmer_baseline *best;
} baseline_run;

static int64_t rated_label(const baseline_run *run, int64_t i) {
    return i * run->labels / run->rated;
}

gw_status gw_kmer_rows_add_set(gw_kmer_rows *rows, gw_labelled_set *set) {
    for (int64_t i = 0; i < gw_labelled_set_count(set); i++) {
        const char *bases;
        int64_t length;
        GW_TRY(gw_labelled_set_bases(set, i, &bases, &length));
        GW_TRY(gw_kmer_rows_add(rows, bases, length));
    }
    return GW_OK;
}

// Probabilities of a label under one strength; ln v, by which the weight shifts logits, is taken off.
static gw_status fit_label(baseline_run *run, int64_t label, int strength) {
    const double weight = gw_config_positive_weight(run->options->config, label);
    const gw_logistic_problem problem = {.label = run->train_values + label,
                                         .stride = run->labels,
                                         .positive_weight = weight,
                                         .c = strengths[strength],
                                         .tolerance = 1e-4};
    gw_logistic_model logistic;
    double *logit = gw_alloc(run->examples, sizeof *logit);
    if (!logit) return GW_ERR_MEMORY;
    const gw_status status = gw_logistic_fit(&run->train.rows, &problem, &logistic);
    if (status == GW_OK) {
        gw_logistic_logits(&logistic, &run->valid.rows, logit);
        for (int64_t i = 0; i < run->examples; i++)
            run->probability[strength][i * run->labels + label] = (float)(1 / (1 + weight * exp(-logit[i])));
        gw_logistic_free(&logistic);
    }
    free(logit);
    return status;
}

static void fit_some(void *context, int64_t begin, int64_t end, int thread) {
    baseline_run *run = context;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        if (fit_label(run, rated_label(run, i / STRENGTHS), (int)(i % STRENGTHS)) != GW_OK) run->failed = true;
}

static gw_status rate_strengths(baseline_run *run, int k) {
    const gw_kmer_baseline_options *o = run->options;
    for (int s = 0; s < STRENGTHS; s++) {
        gw_label_metrics metrics;
        GW_TRY(gw_label_metrics_compute(o->config, run->best->values, run->probability[s], run->examples, run->metrics,
                                        &metrics));
        if (run->best->k > 0 &&
            gw_label_metrics_value(&metrics, o->by) <= gw_label_metrics_value(&run->best->metrics, o->by))
            continue;
        run->best->k = k;
        run->best->c = strengths[s];
        run->best->metrics = metrics;
        GW_TRY(gw_label_shares(o->config, run->best->values, run->probability[s], run->examples, run->best->share));
    }
    return GW_OK;
}

static gw_status count_and_fit(baseline_run *run, int k) {
    GW_TRY(gw_kmer_rows_make(&run->train, k, run->options->both_strands));
    GW_TRY(gw_kmer_rows_make(&run->valid, k, run->options->both_strands));
    GW_TRY(gw_kmer_rows_add_set(&run->train, run->options->train));
    GW_TRY(gw_kmer_rows_add_set(&run->valid, run->options->valid));
    gw_parallel_for(run->rated * STRENGTHS, 1, fit_some, run);
    return run->failed ? gw_fail(GW_ERR_MEMORY, "out of memory for the k-mer baseline") : rate_strengths(run, k);
}

static gw_status run_k(baseline_run *run, int k) {
    GW_TRY(gw_check_interrupt());
    const gw_status status = count_and_fit(run, k);
    gw_kmer_rows_free(&run->train);
    gw_kmer_rows_free(&run->valid);
    return status;
}

static gw_status prepare(baseline_run *run) {
    const gw_kmer_baseline_options *o = run->options;
    const int64_t values = run->examples * run->labels;
    run->train_values = gw_labelled_set_all_values(o->train);
    run->metrics = gw_alloc(run->labels, sizeof *run->metrics);
    run->best->values = gw_alloc(values, sizeof(float));
    run->best->share = gw_alloc(run->examples, sizeof(double));
    for (int s = 0; s < STRENGTHS; s++) {
        run->probability[s] = gw_alloc(values, sizeof(float));
        if (!run->probability[s]) return GW_ERR_MEMORY;
    }
    if (!run->train_values || !run->metrics || !run->best->values || !run->best->share) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < values; i++) run->best->values[i] = NAN;
    for (int64_t r = 0; r < run->rated; r++)
        for (int64_t i = 0, label = rated_label(run, r); i < run->examples; i++)
            run->best->values[i * run->labels + label] = o->values[i * run->labels + label];
    return GW_OK;
}

gw_status gw_kmer_baseline_run(const gw_kmer_baseline_options *options, gw_kmer_baseline *out) {
    *out = (gw_kmer_baseline){.labels = gw_kmer_baseline_labels(options->train, options->valid)};
    baseline_run run = {.options = options,
                        .labels = gw_labelled_set_labels(options->train),
                        .rated = out->labels,
                        .examples = gw_labelled_set_count(options->valid),
                        .best = out};
    gw_status status = prepare(&run);
    for (int k = FIRST_K; status == GW_OK && k <= LAST_K; k++) status = run_k(&run, k);
    for (int s = 0; s < STRENGTHS; s++) free(run.probability[s]);
    free(run.train_values);
    free(run.metrics);
    return status;
}
