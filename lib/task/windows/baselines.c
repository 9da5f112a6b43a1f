// SPDX-License-Identifier: MIT
// One k after the other, all labels and penalties of it at the same time.
#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "measure/auroc_error.h"
#include "measure/ridge.h"
#include "task/windows/predict.h"
#include "task/windows/windows_private.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_K = 3, LAST_K = 6, PENALTIES = 3 };
static const double penalties[PENALTIES] = {1, 0.03, 0.001};

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
    float *probability[PENALTIES];   // [valid examples][labels]
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
                                         .c = penalties[strength],
                                         .tolerance = 1e-4};
    gw_logistic logistic;
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
        if (fit_label(run, rated_label(run, i / PENALTIES), (int)(i % PENALTIES)) != GW_OK) run->failed = true;
}

static gw_status rate_penalties(baseline_run *run, int k) {
    const gw_kmer_baseline_options *o = run->options;
    for (int s = 0; s < PENALTIES; s++) {
        gw_label_metrics metrics;
        GW_TRY(gw_label_metrics_compute(o->config, run->best->values, run->probability[s], run->examples, run->metrics,
                                        &metrics));
        if (run->best->k > 0 &&
            gw_label_metrics_value(&metrics, o->by) <= gw_label_metrics_value(&run->best->metrics, o->by))
            continue;
        run->best->k = k;
        run->best->c = penalties[s];
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
    gw_parallel_for(run->rated * PENALTIES, 1, fit_some, run);
    return run->failed ? gw_fail(GW_ERR_MEMORY, "out of memory for the k-mer baseline") : rate_penalties(run, k);
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
    for (int s = 0; s < PENALTIES; s++) {
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
    for (int s = 0; s < PENALTIES; s++) free(run.probability[s]);
    free(run.train_values);
    free(run.metrics);
    return status;
}

// The k-mer baseline of a run, and the model beside it on the same labels.

// Above it the set itself is what is learnt.
static const double easy_auroc = 0.95;

static bool is_easy(const gw_kmer_baseline *baseline) {
    return baseline->metrics.summary.mean.auroc > easy_auroc;
}

static void warn_of_set(const gw_kmer_baseline *baseline) {
    if (is_easy(baseline))
        gw_warn(
            "counting %d-mers alone tells the labels of this set with AUROC %.4f: positives and negatives differ in "
            "composition, as where negatives are made of random bases, and a model that does the same has learnt no "
            "more than that; negatives from the genome (promoters --negatives genomic) ask for more",
            baseline->k, baseline->metrics.summary.mean.auroc);
}

gw_status gw_windows_make_baseline(gw_finetune_run *run) {
    gw_windows_run *own = run->own;
    const gw_baseline asked = run->options->baseline;
    if (!own->valid || asked == GW_BASELINE_NONE) return GW_OK;
    const int64_t labels = run->model->config.labels, rated = gw_kmer_baseline_labels(own->train, own->valid);
    if (asked == GW_BASELINE_OF_SMALL_SETS && rated < labels) return GW_OK;
    const gw_strands strands = run->options->strands;
    const gw_kmer_baseline_options options = {.train = own->train,
                                              .valid = own->valid,
                                              .config = &run->model->config,
                                              .values = own->values,
                                              .both_strands = gw_reads_both_strands(strands, run->model),
                                              .by = gw_criterion_by_name(run->options->metric)};
    GW_TRY(gw_kmer_baseline_run(&options, &own->baseline));
    if (rated < labels)
        gw_note("the k-mer baseline is of %lld of the %lld labels, evenly spread", (long long)rated, (long long)labels);
    warn_of_set(&own->baseline);
    return GW_OK;
}

// The standard error of the difference between both AUROCs; 0: unknown.
static gw_status error_of_difference(const gw_finetune_run *run, double *out) {
    const gw_windows_run *own = run->own;
    const int64_t examples = gw_labelled_set_count(own->valid);
    double *share = gw_alloc(examples, sizeof *share);
    if (!share) return GW_ERR_MEMORY;
    const gw_status status =
        gw_label_shares(&run->model->config, own->baseline.values, own->probabilities, examples, share);
    *out = gw_auroc_error(share, own->baseline.share, examples);
    if (isnan(*out)) *out = 0;
    free(share);
    return status;
}

// Of labels that are all the same there are no metrics.
static bool is_known(const gw_beside_baseline *b) {
    return isfinite(b->auroc) && isfinite(b->auprc) && isfinite(b->f1) && isfinite(b->value) && isfinite(b->error);
}

gw_status gw_windows_beside_baseline(gw_finetune_run *run, json_t *row, bool better) {
    gw_windows_run *own = run->own;
    gw_label_metrics same;
    double error;
    if (own->baseline.k == 0) return GW_OK;
    json_object_set_new(row, "baseline_k", json_integer(own->baseline.k));
    gw_label_metrics_report(&own->baseline.metrics, "baseline", row);
    error = gw_auroc_error(own->baseline.share, NULL, gw_labelled_set_count(own->valid));
    if (!isnan(error)) json_object_set_new(row, "baseline_auroc_error", json_real(error));
    if (!better) return GW_OK;
    GW_TRY(gw_label_metrics_compute(&run->model->config, own->baseline.values, own->probabilities,
                                    gw_labelled_set_count(own->valid), own->metrics, &same));
    GW_TRY(error_of_difference(run, &error));
    run->training.record.beside =
        (gw_beside_baseline){.auroc = same.summary.mean.auroc,
                             .auprc = same.summary.mean.auprc,
                             .f1 = same.summary.mean.f1,
                             .value = gw_label_metrics_value(&same, gw_criterion_by_name(run->options->metric)),
                             .error = error};
    run->training.record.beside.known = is_known(&run->training.record.beside);
    return GW_OK;
}

static void compare_aurocs(const gw_finetune_run *run, double model, double error) {
    const gw_windows_run *own = run->own;
    const double difference = model - own->baseline.metrics.summary.mean.auroc;
    if (error <= 0) return;
    gw_note("the AUROCs differ by %.4f, with a standard error of %.4f%s", difference, error,
            fabs(difference) < 2 * error ? ": too few validation windows to tell the better one" : "");
}

gw_status gw_windows_compare(const gw_finetune_run *run) {
    const gw_windows_run *own = run->own;
    const gw_beside_baseline *model = &run->training.record.beside;
    const gw_metric *baseline = &own->baseline.metrics.summary.mean;
    if (own->baseline.k == 0 || !model->known) return GW_OK;
    gw_note("AUROC, AUPRC and F1 on the validation set: model %.4f %.4f %.4f, logistic regression on %d-mers %.4f %.4f "
            "%.4f",
            model->auroc, model->auprc, model->f1, own->baseline.k, baseline->auroc, baseline->auprc, baseline->f1);
    compare_aurocs(run, model->auroc, model->error);
    if (model->value > gw_label_metrics_value(&own->baseline.metrics, gw_criterion_by_name(run->options->metric)))
        return GW_OK;
    gw_warn("the model is no better than counting %d-mers: %s", own->baseline.k,
            is_easy(&own->baseline) ? "they tell this set by themselves, and leave a model little to learn from it"
                                    : "more epochs, a pretrained model, or another --lr may help");
    return GW_OK;
}

void gw_windows_columns(const gw_label_metrics *metrics, int64_t labels, gw_epoch_columns *out) {
    gw_epoch_column_add(out, "valid loss", 12, metrics->loss);
    gw_epoch_column_add(out, "AUROC", 8, metrics->summary.mean.auroc);
    if (labels > 1) gw_epoch_column_add(out, "median", 8, metrics->summary.median.auroc);
    gw_epoch_column_add(out, "AUPRC", 8, metrics->summary.mean.auprc);
    gw_epoch_column_add(out, "F1", 8, metrics->summary.mean.f1);
}

bool gw_windows_baseline_line(const gw_finetune_run *run, gw_epoch_baseline *out) {
    const gw_windows_run *own = run->own;
    if (own->baseline.k == 0) return false;
    *out = (gw_epoch_baseline){.metric = "AUROC",
                               .error = gw_auroc_error(own->baseline.share, NULL, gw_labelled_set_count(own->valid))};
    snprintf(out->name, sizeof out->name, "%d-mers", own->baseline.k);
    gw_windows_columns(&own->baseline.metrics, run->model->config.labels, &out->valid);
    return true;
}

// One column after the other.

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
