// SPDX-License-Identifier: MIT
// Training on labels of windows with values 0 and 1: opens the sets, reads windows at random shifts and strands, and
// evaluates each label of the validation set. The model gets its labels, its window, its genome and the weights of
// positives from the sets.
#include "task/windows/windows.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "label/held_out.h"
#include "network/token_batch.h"
#include "task/classifier.h"
#include "task/trained_on.h"
#include "task/windows/evaluate_set.h"
#include "task/windows/predict.h"
#include "task/windows/window_metrics.h"
#include "task/windows/windows_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- examples of training

// Places and strands of windows are drawn by the number of an example in the run.
typedef struct {
    const gw_model *model;
    gw_labelled_set *set;
    gw_label_examples_options options;
    gw_token_batch tokens;
    float *values, *one; // [batch][labels] of the batch; [labels] of an example
    char *reversed;      // [longest]
    double *frequency;   // [labels] of the set
} label_examples;

static void free_examples(void *self) {
    label_examples *e = self;
    gw_token_batch_free(&e->tokens);
    free(e->values);
    free(e->one);
    free(e->reversed);
    free(e->frequency);
    free(e);
}

static int64_t count(const void *self, int64_t step) {
    const label_examples *e = self;
    return gw_epochs_count(&e->options.order, step);
}

// The example's bases, at the place and on the strand that are drawn for it.
static gw_status read_bases(label_examples *e, int64_t step, int64_t i, const char **bases, int64_t *length) {
    const gw_epochs *order = &e->options.order;
    gw_random random = gw_random_at(order->seed, GW_SITE_AUGMENT, (uint64_t)gw_epochs_number(order, step, i), 0);
    const bool reverse = e->options.reverse_at_random && gw_random_below(&random, 2) == 1;
    const int64_t reach = e->options.shift;
    const int64_t shift = reach > 0 ? (int64_t)gw_random_below(&random, (uint64_t)(2 * reach + 1)) - reach : 0;
    GW_TRY(gw_labelled_set_shifted_bases(e->set, gw_epochs_at(order, step, i), shift, bases, length));
    if (!reverse) return GW_OK;
    gw_reverse_complement(*bases, *length, e->reversed);
    *bases = e->reversed;
    return GW_OK;
}

static gw_status add(void *self, int64_t step, int64_t i, bool *full) {
    label_examples *e = self;
    const int64_t row = e->tokens.batch.of[GW_ROWS_TOKENS].sequences,
                  example = gw_epochs_at(&e->options.order, step, i);
    const char *bases;
    int64_t length;
    GW_TRY(read_bases(e, step, i, &bases, &length));
    const gw_status status = gw_token_batch_add(&e->tokens, bases, length, full);
    if (status != GW_OK) return gw_fail_in(status, "example %lld", (long long)example + 1);
    const gw_config *config = &e->model->config;
    float *values = e->values + row * config->labels;
    if (!*full) gw_labelled_set_values(e->set, example, values);
    if (!*full && gw_config_has_numbers(config)) gw_numbers_standardise(&config->numbers, config->labels, values);
    return GW_OK;
}

static gw_status labels(void *self, int64_t step, int64_t i, int64_t *labels) {
    label_examples *e = self;
    gw_labelled_set_values(e->set, gw_epochs_at(&e->options.order, step, i), e->one);
    for (int64_t l = 0; l < e->model->config.labels; l++) labels[GW_ROWS_FIRST] += !isnan(e->one[l]);
    return GW_OK;
}

double gw_label_examples_chance(const gw_examples *examples, int64_t step) {
    const label_examples *e = examples->self;
    const int64_t rows = count(e, step);
    gw_batch_clear(examples->batch); // whose values these become
    for (int64_t i = 0; i < rows; i++)
        gw_labelled_set_values(e->set, gw_epochs_at(&e->options.order, step, i),
                               e->values + i * e->model->config.labels);
    return gw_label_loss_of_constant(&e->model->config, e->values, rows, e->frequency);
}

static gw_status make(label_examples *e, int64_t tokens, int64_t positions) {
    const int64_t sequences = e->options.order.batch, width = e->model->config.labels;
    e->values = gw_alloc(sequences * width, sizeof *e->values);
    e->one = gw_alloc(width, sizeof *e->one);
    e->reversed = gw_alloc(gw_labelled_set_longest(e->set), 1);
    e->frequency = gw_alloc(width, sizeof *e->frequency);
    if (!e->values || !e->one || !e->reversed || !e->frequency) return GW_ERR_MEMORY;
    GW_TRY(gw_label_frequencies(e->set, e->frequency));
    GW_TRY(gw_token_batch_make(&e->tokens, e->model->tokenizer, tokens, sequences, positions));
    e->tokens.batch.of[GW_ROWS_FIRST].number = e->values;
    return GW_OK;
}

static const gw_examples kind = {.count = count, .add = add, .labels = labels, .free = free_examples};

gw_status gw_label_examples_open(const gw_model *model, gw_labelled_set *set, const gw_label_examples_options *options,
                                 gw_examples *out) {
    *out = (gw_examples){0};
    label_examples *e = gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    *e = (label_examples){.model = model, .set = set, .options = *options};
    const int64_t positions = gw_config_longest(&model->config), sequences = options->order.batch;
    const int64_t tokens = gw_max(options->tokens, positions);
    *out = gw_examples_of(&kind, e, &e->tokens.batch, (gw_network_options){.tokens = tokens, .sequences = sequences},
                          sequences);
    return gw_examples_made(out, make(e, tokens, positions));
}

// --- options

static bool same_files(const gw_string_list *a, const gw_string_list *b) {
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->items[i], b->items[i]) != 0) return false;
    return true;
}

static gw_status complete(gw_finetune_options *o) {
    const bool negatives = o->negatives.count > 0, validates = o->tuning.valid.count > 0,
               others = o->valid_negatives.count > 0;
    if (others && (!negatives || !validates))
        return gw_fail(GW_ERR_USAGE, "--valid-negatives-fasta goes with --valid and --negatives-fasta");
    if (negatives && validates && !others && !same_files(&o->tuning.sets, &o->tuning.valid))
        return gw_fail(
            GW_ERR_USAGE,
            "--valid names a separate file of positives: give its negatives too, with --valid-negatives-fasta");
    if (o->metric && gw_criterion_by_name(o->metric) == GW_BY_LOSS && strcmp(o->metric, "loss") != 0)
        return gw_refuse_metric(o);
    return gw_check_baseline(o, GW_BASELINE_KMER);
}

// BigBird's Table 21; rates, warm-up (a tenth, at most 10,000 steps) and the weight of positives are the defaults.
// Options that were given stay, steps also where there are epochs.
static void preset(gw_finetune_options *o, int64_t steps) {
    GW_UNLESS_GIVEN(o, tuning.batch, 256);
    GW_UNLESS_GIVEN(o, tuning.dropout, 0.1);
    if (!GW_GIVEN(o, tuning.epochs)) GW_UNLESS_GIVEN(o, tuning.steps, steps);
}

static void preset_bins(gw_finetune_options *o, const char *name) {
    (void)name;
    preset(o, 500000);
}

static void preset_sites(gw_finetune_options *o, const char *name) {
    (void)name;
    preset(o, 711);
}

// --- the model

// Positives of a label weigh as much in all as its negatives, within bounds that keep one example from ruling a batch.
static gw_status balance(gw_config *config, const gw_labelled_set *set) {
    static const double most = 100;
    double *weight = gw_alloc(config->labels, sizeof *weight);
    if (!weight) return GW_ERR_MEMORY;
    config->positive_weights = weight;
    GW_TRY(gw_label_frequencies(set, weight));
    double least = INFINITY, largest = 0;
    for (int64_t l = 0; l < config->labels; l++) {
        const double f = weight[l];
        weight[l] = fmin(most, fmax(1 / most, (1 - f) / fmax(f, 1e-9)));
        least = fmin(least, weight[l]);
        largest = fmax(largest, weight[l]);
    }
    if (config->labels == 1) gw_note("positives weigh %.4g (--positive-weight balanced)", largest);
    else gw_note("positives weigh %.4g to %.4g, by label (--positive-weight balanced)", least, largest);
    if (config->labels > 1) return GW_OK;
    config->positive_weight = weight[0];
    config->positive_weights = NULL;
    free(weight);
    return GW_OK;
}

static const char *name_label(const void *set, int64_t label) {
    return gw_labelled_set_label_name(set, label);
}

gw_status gw_windows_describe(gw_finetune_run *run, const gw_tokenizer *tokenizer, gw_config *config) {
    (void)tokenizer;
    const gw_finetune_options *o = run->options;
    const gw_windows_run *own = run->own;
    const gw_task_row *task = gw_task_of(o->task);
    config->bin = task->keeps_bin ? gw_labelled_set_bin(own->train) : 0;
    config->tss_offset = !task->keeps_tss     ? -1
                         : o->tss_offset >= 0 ? o->tss_offset
                                              : gw_labelled_set_tss_offset(own->train);
    const int64_t shortest = gw_labelled_set_shortest(own->train), longest = gw_labelled_set_longest(own->train);
    config->window = o->window > 0 ? o->window : longest;
    if (o->window <= 0 && shortest != longest)
        return gw_fail(GW_ERR_MISMATCH,
                       "the training windows are %lld to %lld bp: set the width of the model's windows (--window)",
                       (long long)shortest, (long long)longest);
    if (config->tss_offset >= config->window)
        return gw_fail(GW_ERR_RANGE, "the TSS offset %lld is not inside the window of %lld bp",
                       (long long)config->tss_offset, (long long)config->window);
    if (own->genome) GW_TRY(gw_keep_reference(own->genome, config));
    GW_TRY(gw_classifier_name_labels(config, gw_labelled_set_labels(own->train), name_label, own->train));
    return o->positive_weight == GW_BALANCED ? balance(config, own->train) : GW_OK;
}

gw_status gw_windows_open_sets(const gw_finetune_options *o, gw_labelled_options read, gw_windows_run *own) {
    if (o->fasta) GW_TRY(gw_genome_open(o->fasta, &own->genome));
    read.genome = own->genome;
    read.tenth = o->negatives.count > 0 && o->tuning.valid.count > 0 && o->valid_negatives.count == 0;
    gw_labelled_options train = read, valid = read;
    train.split = gw_split_names[GW_SPLIT_TRAIN];
    train.negatives = o->negatives.items;
    train.negative_count = o->negatives.count;
    valid.split = gw_split_names[GW_SPLIT_VALID];
    valid.negatives = read.tenth ? o->negatives.items : o->valid_negatives.items;
    valid.negative_count = read.tenth ? o->negatives.count : o->valid_negatives.count;
    GW_TRY(gw_labelled_set_open(o->tuning.sets.items, o->tuning.sets.count, &train, &own->train));
    if (gw_labelled_set_labels(own->train) == 0)
        return gw_fail(GW_ERR_FORMAT, "%s has no labels", o->tuning.sets.items[0]);
    if (o->tuning.valid.count == 0) return GW_OK;
    return gw_labelled_set_open(o->tuning.valid.items, o->tuning.valid.count, &valid, &own->valid);
}

static gw_status make_model(gw_finetune_run *run) {
    GW_TRY(gw_windows_open_sets(run->options, (gw_labelled_options){0}, run->own));
    return gw_classifier_make(run, true, gw_windows_describe);
}

// --- the run

static bool reads_both(const gw_finetune_run *run) {
    return gw_reads_both_strands(run->options->strands, run->model);
}

gw_status gw_windows_make_examples(gw_finetune_run *run, const gw_tuning *tuning) {
    const gw_windows_run *own = run->own;
    const gw_label_examples_options examples = {.order = gw_tuning_order(tuning, gw_labelled_set_count(own->train)),
                                                .tokens = tuning->tokens,
                                                .reverse_at_random = reads_both(run),
                                                .shift = run->options->shift};
    GW_TRY(gw_check_window(run->model, gw_labelled_set_longest(own->train)));
    GW_TRY(gw_check_window(run->model, run->model->config.window));
    run->epoch_steps = gw_epochs_steps(&examples.order);
    return gw_label_examples_open(run->model, own->train, &examples, &run->examples);
}

bool gw_windows_validates(const gw_finetune_run *run) {
    return ((const gw_windows_run *)run->own)->valid != NULL;
}

gw_status gw_windows_prepare_validation(gw_finetune_run *run) {
    gw_windows_run *own = run->own;
    const int64_t values = gw_labelled_set_count(own->valid) * run->model->config.labels;
    const gw_label_predictor_options predictor = {.both_strands = reads_both(run)};
    GW_TRY(gw_check_set_labels(run->model, own->valid));
    GW_TRY(gw_check_set_windows(run->model, own->valid));
    own->values = gw_labelled_set_all_values(own->valid);
    own->probabilities = gw_alloc(values, sizeof *own->probabilities);
    if (!own->values || !own->probabilities) return GW_ERR_MEMORY;
    return gw_label_predictor_new(run->model, &predictor, &own->predictor);
}

static gw_status prepare(gw_finetune_run *run) {
    gw_windows_run *own = run->own;
    if (!own->valid) return GW_OK;
    GW_TRY(gw_windows_prepare_validation(run));
    own->metrics = gw_alloc(run->model->config.labels, sizeof *own->metrics);
    return own->metrics ? gw_windows_make_baseline(run) : GW_ERR_MEMORY;
}

static double chance(gw_finetune_run *run, int64_t step) {
    return gw_label_examples_chance(&run->examples, step);
}

static gw_status validate(gw_finetune_run *run, gw_epoch *epoch, json_t *row, double *value) {
    gw_windows_run *own = run->own;
    const gw_config *config = &run->model->config;
    const gw_ensemble one = {&own->predictor, 1};
    gw_label_metrics metrics;
    GW_TRY(gw_predict_set(&one, own->valid, NULL, own->probabilities));
    GW_TRY(gw_label_metrics_compute(config, own->values, own->probabilities, gw_labelled_set_count(own->valid),
                                    own->metrics, &metrics));
    gw_windows_columns(&metrics, config->labels, &epoch->valid);
    gw_label_metrics_report(&metrics, "valid", row);
    *value = gw_label_metrics_value(&metrics, gw_criterion_by_name(run->options->metric));
    return GW_OK;
}

static const char *metric(const gw_finetune_run *run) {
    static const char *const names[] = {"mean AUROC", "mean AUPRC", "mean F1", "loss"};
    return names[gw_criterion_by_name(run->options->metric)];
}

static void print(const gw_finetune_run *run, gw_string *out) {
    const gw_windows_run *own = run->own;
    gw_classifier_print(run, gw_labelled_set_count(own->train), own->valid ? gw_labelled_set_count(own->valid) : 0,
                        (int)gw_criterion_by_name(run->options->metric), out);
}

// The temperature of the labels' logits on the validation set.
static gw_status finish(gw_finetune_run *run) {
    const gw_windows_run *own = run->own;
    const gw_config *config = &run->model->config;
    if (!own->valid || !gw_config_has_classes(config)) return GW_OK;
    const int strands = gw_label_predictor_strands(own->predictor);
    const int64_t count = gw_labelled_set_count(own->valid);
    double *shift = gw_alloc(config->labels, sizeof *shift);
    float *logit = gw_alloc(count * strands * config->labels, sizeof *logit);
    gw_status status = shift && logit ? gw_parameters_to_device(&run->model->parameters) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_predict_set_outputs(own->predictor, own->valid, logit);
    for (int64_t l = 0; shift && l < config->labels; l++) shift[l] = log(gw_config_positive_weight(config, l));
    const gw_temperature_rows rows = {.rows = count,
                                      .labels = config->labels,
                                      .strands = strands,
                                      .logit = logit,
                                      .shift = shift,
                                      .value = own->values};
    if (status == GW_OK) status = gw_keep_temperature(run->model, &rows);
    free(shift);
    free(logit);
    return status;
}

gw_status gw_windows_save(const gw_finetune_run *run) {
    return gw_trained_on_write_genome(run->options->tuning.output, run->options->tuning.model,
                                      ((const gw_windows_run *)run->own)->genome);
}

void gw_windows_free(void *windows) {
    gw_windows_run *own = windows;
    free(own->baseline.values);
    free(own->baseline.share);
    free(own->values);
    free(own->metrics);
    free(own->probabilities);
    gw_label_predictor_free(own->predictor);
    gw_labelled_set_close(own->valid);
    gw_labelled_set_close(own->train);
    gw_genome_close(own->genome);
}

#define WINDOWS                                                                                                        \
    .size = sizeof(gw_windows_run), .complete = complete, .make_model = make_model,                                    \
    .make_examples = gw_windows_make_examples, .validates = gw_windows_validates, .prepare = prepare,                  \
    .chance = chance, .validate = validate, .beside_baseline = gw_windows_beside_baseline,                             \
    .baseline_line = gw_windows_baseline_line, .metric = metric, .print = print, .finish = finish,                     \
    .save = gw_windows_save, .compare = gw_windows_compare, .free = gw_windows_free
const gw_task_kind gw_task_kind_bins = {.of = GW_OF_BINS, .presets = GW_BINS_PRESETS, .preset = preset_bins, WINDOWS};
const gw_task_kind gw_task_kind_sites = {
    .of = GW_OF_SITES, .presets = GW_SITES_PRESETS, .preset = preset_sites, WINDOWS};
