// SPDX-License-Identifier: MIT
// A logistic regression on k-mer frequencies of a labelled set, as a baseline. One k after another, with all labels and
// penalties at the same time; and the model's metrics on the same labels.
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "measure/metric.h"
#include "measure/regression.h"
#include "task/windows/predict.h"
#include "task/windows/windows_private.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_K = 3, LAST_K = 6, PENALTIES = 3 };
static const double penalties[PENALTIES] = {1, 0.03, 0.001};

typedef struct {
    const gw_config *config;         // labels and weights of positives
    gw_criterion by;                 // k and the strength of the penalty are chosen by
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
    const double weight = gw_config_positive_weight(run->config, label);
    const gw_logistic_problem problem = {.label = run->train_values + label,
                                         .stride = run->labels,
                                         .positive_weight = weight,
                                         .c = penalties[strength],
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
        if (fit_label(run, rated_label(run, i / PENALTIES), (int)(i % PENALTIES)) != GW_OK) run->failed = true;
}

static gw_status rate_penalties(baseline_run *run, int k) {
    for (int s = 0; s < PENALTIES; s++) {
        gw_label_metrics metrics;
        GW_TRY(gw_label_metrics_compute(run->config, run->best->values, run->probability[s], run->examples,
                                        run->metrics, &metrics));
        if (run->best->k > 0 &&
            gw_label_metrics_value(&metrics, run->by) <= gw_label_metrics_value(&run->best->metrics, run->by))
            continue;
        run->best->k = k;
        run->best->metrics = metrics;
        GW_TRY(gw_label_shares(run->config, run->best->values, run->probability[s], run->examples, run->best->share));
    }
    return GW_OK;
}

static gw_status count_and_fit(baseline_run *run, const gw_windows_run *own, int k, bool both_strands) {
    GW_TRY(gw_check_interrupt());
    GW_TRY(gw_kmer_rows_make(&run->train, k, both_strands));
    GW_TRY(gw_kmer_rows_make(&run->valid, k, both_strands));
    GW_TRY(gw_kmer_rows_add_set(&run->train, own->train));
    GW_TRY(gw_kmer_rows_add_set(&run->valid, own->valid));
    gw_parallel_for(run->rated * PENALTIES, 1, fit_some, run);
    return run->failed ? gw_fail(GW_ERR_MEMORY, "out of memory for the k-mer baseline") : rate_penalties(run, k);
}

// The same input gives the same result, whatever the number of threads.
static gw_status run_baseline(gw_finetune_run *finetune, int64_t rated) {
    gw_windows_run *own = finetune->own;
    gw_kmer_baseline *best = &own->baseline;
    const bool both_strands = gw_reads_both_strands(finetune->options->strands, finetune->model);
    const int64_t labels = gw_labelled_set_labels(own->train), examples = gw_labelled_set_count(own->valid);
    *best = (gw_kmer_baseline){.values = gw_alloc(examples * labels, sizeof(float)),
                               .share = gw_alloc(examples, sizeof(double))};
    baseline_run run = {.config = &finetune->model->config,
                        .by = gw_criterion_by_name(finetune->options->metric),
                        .labels = labels,
                        .rated = rated,
                        .examples = examples,
                        .train_values = gw_labelled_set_all_values(own->train),
                        .metrics = gw_alloc(labels, sizeof *run.metrics),
                        .best = best};
    gw_status status = run.train_values && run.metrics && best->values && best->share ? GW_OK : GW_ERR_MEMORY;
    for (int s = 0; s < PENALTIES; s++) {
        run.probability[s] = gw_alloc(examples * labels, sizeof(float));
        if (!run.probability[s]) status = GW_ERR_MEMORY;
    }
    if (status == GW_OK) {
        for (int64_t i = 0; i < examples * labels; i++) best->values[i] = NAN;
        for (int64_t r = 0; r < rated; r++)
            for (int64_t i = rated_label(&run, r); i < examples * labels; i += labels) best->values[i] = own->values[i];
    }
    for (int k = FIRST_K; status == GW_OK && k <= LAST_K; k++) {
        status = count_and_fit(&run, own, k, both_strands);
        gw_kmer_rows_free(&run.train);
        gw_kmer_rows_free(&run.valid);
    }
    for (int s = 0; s < PENALTIES; s++) free(run.probability[s]);
    free(run.train_values);
    free(run.metrics);
    return status;
}

// Above it the set itself is what is learnt.
static const double easy_auroc = 0.95;

static bool is_easy(const gw_kmer_baseline *baseline) {
    return baseline->metrics.summary.mean.auroc > easy_auroc;
}

gw_status gw_windows_make_baseline(gw_finetune_run *run) {
    static const int64_t most_bases = 15000000; // of a label: about a minute of a core for all of them
    gw_windows_run *own = run->own;
    const gw_baseline asked = run->options->baseline;
    if (!own->valid || asked == GW_BASELINE_NONE) return GW_OK;
    const int64_t labels = run->model->config.labels;
    const int64_t bases = gw_labelled_set_count(own->train) * gw_labelled_set_longest(own->train) +
                          gw_labelled_set_count(own->valid) * gw_labelled_set_longest(own->valid);
    const int64_t rated = gw_min(most_bases / (bases + 1) + 1, gw_labelled_set_labels(own->train)); // evenly spread
    if (asked == GW_BASELINE_OF_SMALL_SETS && rated < labels) return GW_OK;
    gw_preparing("fitting the baseline, %s of k-mers",
                 gw_config_has_numbers(&run->model->config) ? "ridge regressions" : "logistic regressions");
    GW_TRY(run_baseline(run, rated));
    if (rated < labels)
        gw_note("the k-mer baseline is computed for %lld of the %lld labels, evenly spread", (long long)rated,
                (long long)labels);
    if (is_easy(&own->baseline))
        gw_warn(
            "counting %d-mers alone predicts the labels of this set with AUROC %.4f: positives and negatives differ "
            "in composition, for example because negatives are random bases. A model of the same AUROC may have "
            "learnt only this difference; negatives from the genome (promoters --negatives genomic) are harder",
            own->baseline.k, own->baseline.metrics.summary.mean.auroc);
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
    // of labels that are all the same there are no metrics
    gw_beside_baseline *b = &run->training.record.beside;
    b->known = isfinite(b->auroc) && isfinite(b->auprc) && isfinite(b->f1) && isfinite(b->value) && isfinite(b->error);
    return GW_OK;
}

gw_status gw_windows_compare(const gw_finetune_run *run) {
    const gw_windows_run *own = run->own;
    const gw_beside_baseline *model = &run->training.record.beside;
    const gw_metric *baseline = &own->baseline.metrics.summary.mean;
    if (own->baseline.k == 0 || !model->known) return GW_OK;
    gw_note("AUROC, AUPRC and F1 on the validation set: model %.4f %.4f %.4f, logistic regression on %d-mers %.4f %.4f "
            "%.4f",
            model->auroc, model->auprc, model->f1, own->baseline.k, baseline->auroc, baseline->auprc, baseline->f1);
    const double difference = model->auroc - baseline->auroc;
    if (model->error > 0)
        gw_note("the AUROCs differ by %.4f, with a standard error of %.4f%s", difference, model->error,
                fabs(difference) < 2 * model->error ? ": too few validation windows to tell the better one" : "");
    if (model->value > gw_label_metrics_value(&own->baseline.metrics, gw_criterion_by_name(run->options->metric)))
        return GW_OK;
    gw_warn("the model is no better than counting %d-mers: %s", own->baseline.k,
            is_easy(&own->baseline) ? "counts alone predict this set well, and leave a model little to learn"
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
