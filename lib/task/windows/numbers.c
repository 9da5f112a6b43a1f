// SPDX-License-Identifier: MIT
// Measured numbers of windows: columns of tables, learned as deviations from their means, beside a ridge regression on
// 5-mers.
#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/string.h"
#include "file/lines.h"
#include "label/labelled_set.h"
#include "measure/regression.h"
#include "task/classifier.h"
#include "task/windows/predict.h"
#include "task/windows/windows.h"
#include "task/windows/windows_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Means over the columns of which a number is known; NaN where a metric means nothing for one of these.
typedef struct {
    double mse; // of numbers as the network learns them
    double pearson, spearman, r2;
} number_metrics;

typedef enum { BY_PEARSON, BY_SPEARMAN, BY_MSE } number_criterion;

typedef struct {
    gw_windows_run windows; // first: what all runs on windows have
    bool ridge_made;
    float *ridge_predicted; // [valid examples][labels]
    number_metrics ridge;
} numbers_run;

enum { NAMED = 5, RIDGE_KMER = 5 };

// NULL: pearson; -1: none of them.
static int criterion_by_name(const char *name) {
    static const char *const names[] = {"pearson", "spearman", "loss"};
    for (int i = 0; i < 3; i++)
        if (!name || strcmp(name, names[i]) == 0) return i;
    return -1;
}

static number_criterion criterion(const gw_finetune_run *run) {
    return (number_criterion)criterion_by_name(run->options->metric);
}

static gw_status complete(gw_finetune_options *o) {
    if (criterion_by_name(o->metric) < 0) return gw_refuse_metric(o);
    if (o->bend > 0 && o->loss != GW_NUMBER_LOSS_HUBER)
        return gw_fail(GW_ERR_USAGE, "--huber-delta goes with --loss huber");
    if (o->tracks.count > 0 && o->texts.label.count > 0)
        return gw_fail(GW_ERR_USAGE,
                       "--track and --label exclude each other: numbers come either from signals or from columns");
    if (o->overlaps && o->tuning.valid.count == 0) return gw_fail(GW_ERR_USAGE, "--overlaps needs --valid");
    return gw_check_baseline(o, GW_BASELINE_KMER);
}

// --- the model -----------------------------------------------------------------------------------------------------

static gw_status describe(gw_finetune_run *run, const gw_tokenizer *tokenizer, gw_config *config) {
    const gw_finetune_options *o = run->options;
    const gw_labelled_set *train = ((const gw_windows_run *)run->own)->train;
    GW_TRY(gw_windows_describe(run, tokenizer, config));
    config->both_strands = o->strands == GW_STRANDS_BOTH;
    config->numbers.loss = o->loss;
    config->numbers.bend = o->bend;
    config->numbers.shared = o->one_number;
    if (o->label_weights)
        GW_TRY(gw_read_weights("--label-weights", o->label_weights, config->labels, &config->numbers.weight));
    float *values = gw_labelled_set_all_values(train);
    if (!values) return GW_ERR_MEMORY;
    const gw_status status =
        gw_numbers_fit(&config->numbers, values, gw_labelled_set_count(train), config->labels, config->label_names);
    free(values);
    return status == GW_OK ? GW_OK : gw_fail_in(status, "%s", o->tuning.sets.items[0]);
}

static gw_status make_model(gw_finetune_run *run) {
    const gw_finetune_options *o = run->options;
    const gw_labelled_options read = {.numbers = true,
                                      .missing = o->missing,
                                      .tracks = o->tracks.items,
                                      .track_count = o->tracks.count,
                                      .labels = o->texts.label.items,
                                      .label_count = o->texts.label.count};
    GW_TRY(gw_windows_open_sets(o, read, run->own));
    return gw_classifier_make(run, true, describe);
}

// --- metrics

// Of the numbers of the validation set [examples][labels], missing ones left out.
static gw_status rate(const gw_config *config, const float *measured, const float *predicted, int64_t examples,
                      number_metrics *out) {
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < examples * config->labels; i++) {
        const double unit = config->numbers.deviation ? config->numbers.deviation[i % config->labels] : 1;
        const double apart = ((double)measured[i] - (double)predicted[i]) / unit;
        if (isnan(measured[i])) continue;
        sum += apart * apart;
        count++;
    }
    const gw_column_pairs pairs = {
        .measured = measured, .predicted = predicted, .examples = examples, .labels = config->labels};
    *out = (number_metrics){.mse = count > 0 ? sum / (double)count : NAN};
    int64_t known = 0;
    for (int64_t c = 0; c < config->labels; c++) {
        gw_agreement one;
        GW_TRY(gw_agreement_of_column(&pairs, c, &one));
        if (one.count == 0) continue;
        known++;
        out->pearson += one.pearson.value;
        out->spearman += one.spearman.value;
        out->r2 += one.r2.value;
    }
    out->pearson /= (double)known; // NaN of no column
    out->spearman /= (double)known;
    out->r2 /= (double)known;
    return GW_OK;
}

// More is better, also of the squared error, which is negated, and what means nothing is worse than all.
static double value_of(const number_metrics *j, number_criterion by) {
    static const double worst = -1e30;
    const double value = by == BY_PEARSON ? j->pearson : by == BY_SPEARMAN ? j->spearman : -j->mse;
    return isnan(value) ? worst : value;
}

// Those that mean something.
static void report(const number_metrics *j, const char *prefix, json_t *row) {
    const struct {
        const char *name;
        double value;
    } metrics[] = {{"mse", j->mse}, {"pearson", j->pearson}, {"spearman", j->spearman}, {"r2", j->r2}};
    for (size_t f = 0; f < sizeof metrics / sizeof *metrics; f++) {
        char name[64];
        snprintf(name, sizeof name, "%s_%s", prefix, metrics[f].name);
        if (!isnan(metrics[f].value)) json_object_set_new(row, name, json_real(metrics[f].value));
    }
}

// --- the baseline

// What a ridge regression on frequencies of 5-mers makes of the numbers, one column after the other: the least that a
// model must do better than.
typedef struct {
    const gw_windows_run *own;
    gw_kmer_rows train, valid;
    int64_t labels, examples; // of the validation set
    float *numbers;           // [train examples][labels]
    float *trial;             // [valid examples][labels]
    double *weight;           // [features + 1]
} ridge_run;

// Of a column the strength, 1e-5 to 1 by tens, is the one with the largest Pearson correlation on the validation set.
static gw_status predict_column(ridge_run *r, const gw_ridge_system *system, int64_t column, float *predicted) {
    static const double strengths[] = {1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};
    const gw_column_pairs pairs = {
        .measured = r->own->values, .predicted = r->trial, .examples = r->examples, .labels = r->labels};
    double best = -INFINITY;
    for (size_t s = 0; s < sizeof strengths / sizeof strengths[0]; s++) {
        gw_agreement agreement;
        GW_TRY(gw_check_interrupt());
        GW_TRY(gw_ridge_solve(system, strengths[s], r->weight));
        gw_ridge_predict(&r->valid.rows, r->weight, r->trial + column, r->labels);
        GW_TRY(gw_agreement_of_column(&pairs, column, &agreement));
        const double pearson = isnan(agreement.pearson.value) ? -2 : agreement.pearson.value;
        if (pearson <= best) continue;
        best = pearson;
        for (int64_t i = column; i < r->examples * r->labels; i += r->labels) predicted[i] = r->trial[i];
    }
    return GW_OK;
}

static gw_status fit_ridge(ridge_run *r, bool both_strands, float *predicted) {
    GW_TRY(gw_kmer_rows_make(&r->train, RIDGE_KMER, both_strands));
    GW_TRY(gw_kmer_rows_make(&r->valid, RIDGE_KMER, both_strands));
    GW_TRY(gw_kmer_rows_add_set(&r->train, r->own->train));
    GW_TRY(gw_kmer_rows_add_set(&r->valid, r->own->valid));
    r->numbers = gw_labelled_set_all_values(r->own->train);
    r->trial = gw_alloc(r->examples * r->labels, sizeof *r->trial);
    r->weight = gw_alloc(r->train.features + 1, sizeof *r->weight);
    if (!r->numbers || !r->trial || !r->weight || !predicted) return GW_ERR_MEMORY;
    for (int64_t c = 0; c < r->labels; c++) {
        gw_ridge_system system;
        gw_status status = gw_ridge_system_make(&r->train.rows, r->numbers + c, r->labels, &system);
        if (status == GW_OK) status = predict_column(r, &system, c, predicted);
        gw_ridge_system_free(&system);
        GW_TRY(status);
    }
    return GW_OK;
}

// Unless it was asked for, where it takes seconds: bases times columns are 15 million at most.
static gw_status make_ridge(gw_finetune_run *run) {
    static const int64_t most_bases = 15000000;
    numbers_run *numbers = run->own;
    const gw_windows_run *own = &numbers->windows;
    const gw_baseline asked = run->options->baseline;
    const int64_t examples = gw_labelled_set_count(own->valid), labels = gw_labelled_set_labels(own->train);
    const int64_t bases = gw_labelled_set_count(own->train) * gw_labelled_set_longest(own->train) +
                          examples * gw_labelled_set_longest(own->valid);
    if (asked == GW_BASELINE_NONE || (asked == GW_BASELINE_OF_SMALL_SETS && bases * labels > most_bases)) return GW_OK;
    ridge_run r = {.own = own, .labels = labels, .examples = examples};
    numbers->ridge_made = true;
    numbers->ridge_predicted = gw_alloc(examples * labels, sizeof *numbers->ridge_predicted);
    const gw_status status =
        fit_ridge(&r, gw_reads_both_strands(run->options->strands, run->model), numbers->ridge_predicted);
    gw_kmer_rows_free(&r.train);
    gw_kmer_rows_free(&r.valid);
    free(r.numbers);
    free(r.trial);
    free(r.weight);
    GW_TRY(status);
    return rate(&run->model->config, own->values, numbers->ridge_predicted, examples, &numbers->ridge);
}

// --- validation ----------------------------------------------------------------------------------------------------

static gw_status write_shared(const gw_labelled_set *set, const gw_shared_rows *shared, const char *path) {
    gw_string text = {0};
    gw_text_writer *out;
    GW_TRY(gw_writer_open(path, &out));
    gw_status status = gw_writer_printf(out, "row\n");
    for (int64_t i = 0; status == GW_OK && i < shared->rows; i++) {
        if (!shared->shares[i]) continue;
        gw_string_clear(&text);
        gw_labelled_set_describe(set, i, &text);
        status = gw_string_status(&text);
        if (status == GW_OK) status = gw_writer_printf(out, "%s\n", text.data);
    }
    gw_string_free(&text);
    return gw_writers_close(status, out, NULL);
}

// A validation set that holds what is trained on says little of what is new.
static gw_status tell_shared(const gw_finetune_run *run) {
    const gw_windows_run *own = run->own;
    gw_seen_rows seen;
    gw_shared_rows shared = {0};
    gw_string names = {0};
    gw_status status = gw_seen_rows_make(own->train, GW_SHARED_KMER, &seen);
    if (status == GW_OK) status = gw_shared_rows_find(own->valid, &seen, &shared);
    if (status == GW_OK) {
        gw_shared_rows_name(own->valid, &shared, NAMED, &names);
        status = gw_string_status(&names);
    }
    if (status == GW_OK && shared.sharing > 0)
        gw_warn("%lld of %lld validation rows share %d bases in a row with training rows: %s%s",
                (long long)shared.sharing, (long long)shared.rows, GW_SHARED_KMER, names.data,
                shared.sharing > NAMED ? " ... (--overlaps FILE names all)" : "");
    if (status == GW_OK && run->options->overlaps) status = write_shared(own->valid, &shared, run->options->overlaps);
    gw_string_free(&names);
    gw_seen_rows_free(&seen);
    gw_shared_rows_free(&shared);
    return status;
}

static gw_status prepare(gw_finetune_run *run) {
    if (!gw_windows_validates(run)) return GW_OK;
    GW_TRY(gw_windows_prepare_validation(run));
    GW_TRY(tell_shared(run));
    return make_ridge(run);
}

static void add_columns(const number_metrics *metrics, gw_epoch_columns *out) {
    gw_epoch_column_add(out, "valid mse", 11, metrics->mse);
    gw_epoch_column_add(out, "Pearson", 9, metrics->pearson);
    gw_epoch_column_add(out, "Spearman", 10, metrics->spearman);
    gw_epoch_column_add(out, "R^2", 9, metrics->r2);
}

static gw_status validate(gw_finetune_run *run, gw_epoch *epoch, json_t *row, double *value) {
    numbers_run *numbers = run->own;
    gw_windows_run *own = &numbers->windows;
    const gw_ensemble one = {&own->predictor, 1};
    number_metrics metrics;
    GW_TRY(gw_predict_set(&one, own->valid, NULL, own->probabilities));
    GW_TRY(rate(&run->model->config, own->values, own->probabilities, gw_labelled_set_count(own->valid), &metrics));
    add_columns(&metrics, &epoch->valid);
    report(&metrics, "valid", row);
    if (numbers->ridge_made) report(&numbers->ridge, "baseline", row);
    *value = value_of(&metrics, criterion(run));
    return GW_OK;
}

static bool baseline_line(const gw_finetune_run *run, gw_epoch_baseline *out) {
    const numbers_run *own = run->own;
    *out = (gw_epoch_baseline){.name = "5-mers"};
    add_columns(&own->ridge, &out->valid);
    return own->ridge_made;
}

static const char *metric(const gw_finetune_run *run) {
    static const char *const names[] = {"Pearson", "Spearman", "loss"};
    return names[criterion(run)];
}

// --- the run -------------------------------------------------------------------------------------------------------

static void print(const gw_finetune_run *run, gw_string *out) {
    const gw_windows_run *own = run->own;
    const gw_numbers *numbers = &run->model->config.numbers;
    gw_classifier_print(run, gw_labelled_set_count(own->train), own->valid ? gw_labelled_set_count(own->valid) : 0,
                        (int)criterion(run), out);
    gw_string_printf(out, ", loss %d", (int)numbers->loss);
    if (numbers->loss == GW_NUMBER_LOSS_HUBER) gw_string_printf(out, " from %.9g", gw_numbers_bend(numbers));
    if (numbers->shared) gw_string_printf(out, ", one number of all columns");
    if (run->options->label_weights) gw_string_printf(out, ", columns weigh %s", run->options->label_weights);
}

static gw_status compare(const gw_finetune_run *run) {
    const numbers_run *own = run->own;
    const gw_training_record *record = &run->training.record;
    if (!own->ridge_made || !gw_training_has_best(record)) return GW_OK;
    const double ridge = value_of(&own->ridge, criterion(run));
    const double sign = criterion(run) == BY_MSE ? -1 : 1;
    gw_note("%s on the validation set: model %.4f, ridge regression on %d-mers %.4f", metric(run), sign * record->best,
            RIDGE_KMER, sign * ridge);
    if (record->best <= ridge)
        gw_warn(
            "the model is no better than counting %d-mers: more epochs, a pretrained model, or another --lr may help",
            RIDGE_KMER);
    return GW_OK;
}

static void free_own(void *numbers) {
    numbers_run *own = numbers;
    free(own->ridge_predicted);
    gw_windows_free(&own->windows);
}

const gw_task_kind gw_task_kind_numbers = {
    .of = GW_OF_NUMBERS,
    .size = sizeof(numbers_run),
    .complete = complete,
    .make_model = make_model,
    .make_examples = gw_windows_make_examples,
    .validates = gw_windows_validates,
    .prepare = prepare,
    .validate = validate,
    .baseline_line = baseline_line,
    .metric = metric,
    .print = print,
    .save = gw_windows_save,
    .compare = compare,
    .free = free_own,
};
