// SPDX-License-Identifier: MIT
// One column after the other.
#include "task/windows/windows_private.h"

#include "base/log.h"
#include "base/memory.h"
#include "measure/regression.h"

#include <math.h>
#include <stdlib.h>

enum { STRENGTHS = 6 };
static const double strengths[STRENGTHS] = {1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};

bool gw_ridge_baseline_is_cheap(const gw_labelled_set *train, const gw_labelled_set *valid) {
    static const int64_t most_bases = 15000000;
    const int64_t bases = gw_labelled_set_count(train) * gw_labelled_set_longest(train) +
                          gw_labelled_set_count(valid) * gw_labelled_set_longest(valid);
    return bases * gw_labelled_set_labels(train) <= most_bases;
}

typedef struct {
    const gw_ridge_baseline_options *options;
    gw_kmer_rows train, valid;
    int64_t labels, examples; // of the validation set
    float *numbers;           // [train examples][labels]
    float *trial;             // [valid examples][labels]
    double *weight;           // [features + 1]
    gw_ridge_baseline *out;
} ridge_run;

// The strength that is best on the validation set: its predictions of the column.
static gw_status choose(ridge_run *run, const gw_ridge_system *system, int64_t column) {
    const gw_column_pairs pairs = {
        .measured = run->options->measured, .predicted = run->trial, .examples = run->examples, .labels = run->labels};
    double best = -INFINITY;
    for (int s = 0; s < STRENGTHS; s++) {
        gw_agreement agreement;
        GW_TRY(gw_check_interrupt());
        GW_TRY(gw_ridge_solve(system, strengths[s], run->weight));
        gw_ridge_predict(&run->valid.rows, run->weight, run->trial + column, run->labels);
        GW_TRY(gw_agreement_of_column(&pairs, column, &agreement));
        const double r = isnan(agreement.pearson.value) ? -2 : agreement.pearson.value;
        if (r <= best) continue;
        best = r;
        for (int64_t i = column; i < run->examples * run->labels; i += run->labels)
            run->out->predicted[i] = run->trial[i];
    }
    return GW_OK;
}

static gw_status fit_column(ridge_run *run, int64_t column) {
    gw_ridge_system system;
    gw_status status = gw_ridge_system_make(&run->train.rows, run->numbers + column, run->labels, &system);
    if (status == GW_OK) status = choose(run, &system, column);
    gw_ridge_system_free(&system);
    return status;
}

static gw_status fit(ridge_run *run) {
    const gw_ridge_baseline_options *o = run->options;
    GW_TRY(gw_kmer_rows_make(&run->train, GW_RIDGE_KMER, o->both_strands));
    GW_TRY(gw_kmer_rows_make(&run->valid, GW_RIDGE_KMER, o->both_strands));
    GW_TRY(gw_kmer_rows_add_set(&run->train, o->train));
    GW_TRY(gw_kmer_rows_add_set(&run->valid, o->valid));
    run->numbers = gw_labelled_set_all_values(o->train);
    run->trial = gw_alloc(run->examples * run->labels, sizeof *run->trial);
    run->weight = gw_alloc(run->train.features + 1, sizeof *run->weight);
    run->out->predicted = gw_alloc(run->examples * run->labels, sizeof *run->out->predicted);
    if (!run->numbers || !run->trial || !run->weight || !run->out->predicted) return GW_ERR_MEMORY;
    for (int64_t c = 0; c < run->labels; c++) GW_TRY(fit_column(run, c));
    return gw_number_metrics_compute(o->config, o->measured, run->out->predicted, run->examples, &run->out->metrics);
}

gw_status gw_ridge_baseline_run(const gw_ridge_baseline_options *options, gw_ridge_baseline *out) {
    *out = (gw_ridge_baseline){.made = true};
    ridge_run run = {.options = options,
                     .labels = gw_labelled_set_labels(options->train),
                     .examples = gw_labelled_set_count(options->valid),
                     .out = out};
    const gw_status status = fit(&run);
    gw_kmer_rows_free(&run.train);
    gw_kmer_rows_free(&run.valid);
    free(run.numbers);
    free(run.trial);
    free(run.weight);
    return status;
}
