// SPDX-License-Identifier: MIT
// The k-mer baseline of a run, and the model beside it on the same labels.
#include "base/log.h"
#include "base/memory.h"
#include "measure/metric.h"
#include "task/windows/predict.h"
#include "task/windows/windows_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
