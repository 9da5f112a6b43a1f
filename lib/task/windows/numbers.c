// SPDX-License-Identifier: MIT
// Measured numbers of windows: columns of tables, learned as deviations from their means, beside a ridge regression on
// 5-mers.
#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/string.h"
#include "file/lines.h"
#include "label/shared_rows.h"
#include "task/classifier.h"
#include "task/windows/predict.h"
#include "task/windows/windows.h"
#include "task/windows/windows_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    gw_windows_run windows; // first: what all runs on windows have
    gw_ridge_baseline ridge;
} numbers_run;

enum { NAMED = 5 };

static gw_number_criterion criterion(const gw_finetune_run *run) {
    return (gw_number_criterion)gw_number_criterion_by_name(run->options->metric);
}

static gw_status complete(gw_finetune_options *o) {
    if (gw_number_criterion_by_name(o->metric) < 0) return gw_refuse_metric(o);
    if (o->bend > 0 && o->loss != GW_NUMBER_LOSS_HUBER)
        return gw_fail(GW_ERR_USAGE, "--huber-delta goes with --loss huber");
    if (o->tracks.count > 0 && o->texts.label.count > 0)
        return gw_fail(GW_ERR_USAGE, "--track and --label exclude each other: numbers are of signals or of columns");
    if (o->overlaps && o->tuning.valid.count == 0) return gw_fail(GW_ERR_USAGE, "--overlaps is of --valid");
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

static gw_status tell_shared(const gw_finetune_run *run, const gw_shared_rows *shared) {
    const gw_labelled_set *valid = ((const gw_windows_run *)run->own)->valid;
    gw_string names = {0};
    gw_shared_rows_name(valid, shared, NAMED, &names);
    gw_status status = gw_string_status(&names);
    if (status == GW_OK && shared->sharing > 0)
        gw_warn("%lld of %lld validation rows share %d bases in a row with training rows: %s%s",
                (long long)shared->sharing, (long long)shared->rows, GW_SHARED_KMER, names.data,
                shared->sharing > NAMED ? " ... (--overlaps FILE names all)" : "");
    gw_string_free(&names);
    return status == GW_OK && run->options->overlaps ? write_shared(valid, shared, run->options->overlaps) : status;
}

// A validation set that holds what is trained on says little of what is new.
static gw_status count_shared(const gw_finetune_run *run) {
    const gw_windows_run *own = run->own;
    gw_seen_rows seen;
    gw_shared_rows shared = {0};
    gw_status status = gw_seen_rows_make(own->train, GW_SHARED_KMER, &seen);
    if (status == GW_OK) status = gw_shared_rows_find(own->valid, &seen, &shared);
    if (status == GW_OK) status = tell_shared(run, &shared);
    gw_seen_rows_free(&seen);
    gw_shared_rows_free(&shared);
    return status;
}

static gw_status make_ridge(gw_finetune_run *run) {
    numbers_run *own = run->own;
    gw_windows_run *windows = &own->windows;
    const gw_baseline asked = run->options->baseline;
    const bool cheap = gw_ridge_baseline_is_cheap(windows->train, windows->valid);
    if (asked == GW_BASELINE_NONE || (asked == GW_BASELINE_OF_SMALL_SETS && !cheap)) return GW_OK;
    const gw_ridge_baseline_options ridge = {.train = windows->train,
                                             .valid = windows->valid,
                                             .config = &run->model->config,
                                             .measured = windows->values,
                                             .both_strands = gw_reads_both_strands(run->options->strands, run->model)};
    return gw_ridge_baseline_run(&ridge, &own->ridge);
}

static gw_status prepare(gw_finetune_run *run) {
    if (!gw_windows_validates(run)) return GW_OK;
    GW_TRY(gw_windows_prepare_validation(run));
    GW_TRY(count_shared(run));
    return make_ridge(run);
}

static void add_columns(const gw_number_metrics *metrics, gw_epoch_columns *out) {
    gw_epoch_column_add(out, "valid mse", 11, metrics->mse);
    gw_epoch_column_add(out, "Pearson", 9, metrics->pearson);
    gw_epoch_column_add(out, "Spearman", 10, metrics->spearman);
    gw_epoch_column_add(out, "R^2", 9, metrics->r2);
}

static gw_status validate(gw_finetune_run *run, gw_epoch *epoch, json_t *row, double *value) {
    numbers_run *numbers = run->own;
    gw_windows_run *own = &numbers->windows;
    const gw_ensemble one = {&own->predictor, 1};
    gw_number_metrics metrics;
    GW_TRY(gw_predict_set(&one, own->valid, NULL, own->probabilities));
    GW_TRY(gw_number_metrics_compute(&run->model->config, own->values, own->probabilities,
                                     gw_labelled_set_count(own->valid), &metrics));
    add_columns(&metrics, &epoch->valid);
    gw_number_metrics_report(&metrics, "valid", row);
    if (numbers->ridge.made) gw_number_metrics_report(&numbers->ridge.metrics, "baseline", row);
    *value = gw_number_metrics_value(&metrics, criterion(run));
    return GW_OK;
}

static bool baseline_line(const gw_finetune_run *run, gw_epoch_baseline *out) {
    const numbers_run *own = run->own;
    *out = (gw_epoch_baseline){.name = "5-mers"};
    add_columns(&own->ridge.metrics, &out->valid);
    return own->ridge.made;
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
    if (!own->ridge.made || !gw_training_has_best(record)) return GW_OK;
    const double ridge = gw_number_metrics_value(&own->ridge.metrics, criterion(run));
    const double sign = criterion(run) == GW_BY_MSE ? -1 : 1;
    gw_note("%s on the validation set: model %.4f, ridge regression on %d-mers %.4f", metric(run), sign * record->best,
            GW_RIDGE_KMER, sign * ridge);
    if (record->best <= ridge)
        gw_warn(
            "the model is no better than counting %d-mers: more epochs, a pretrained model, or another --lr may help",
            GW_RIDGE_KMER);
    return GW_OK;
}

static void free_own(void *numbers) {
    numbers_run *own = numbers;
    free(own->ridge.predicted);
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
