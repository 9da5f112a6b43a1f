// SPDX-License-Identifier: MIT
// Counts of bases as a kind of task: reads windows of regions, at random shifts and strands, with the counts of their
// bases, and evaluates the profile and the counts of the validation set.
#include "task/counts/evaluate_counts.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "label/held_out.h"
#include "network/base_network.h"
#include "task/classifier.h"
#include "task/trained_on.h"
#include "task/windows/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    gw_genome *genome;
    gw_tracks tracks;
    gw_count_set train, valid; // valid.set NULL: none
    char **names;              // [strands] of the tracks
    gw_count_network network;  // of the model in training, for validation
    gw_count_evaluator evaluator;
    gw_count_metrics baseline;
    bool baseline_made;
} counts_run;

typedef enum { BY_LOSS, BY_PEARSON, BY_DISTANCE } count_criterion;

// NULL: loss; -1: none of them.
static int criterion_by_name(const char *name) {
    static const char *const names[] = {"loss", "pearson", "jsd"};
    for (int i = 0; i < 3; i++)
        if (!name || strcmp(name, names[i]) == 0) return i;
    return -1;
}

static count_criterion criterion(const gw_finetune_run *run) {
    return (count_criterion)criterion_by_name(run->options->metric);
}

static gw_status complete(gw_finetune_options *o) {
    static const double rate = 1e-3;
    if (criterion_by_name(o->metric) < 0) return gw_refuse_metric(o);
    if (!o->fasta) return gw_fail(GW_ERR_USAGE, "--task profile needs the genome of its regions: -f ref.fa");
    if (o->tracks.count < 1 || o->tracks.count > GW_COUNT_STRANDS)
        return gw_fail(GW_ERR_USAGE,
                       "--task profile needs its counts: --track once, or for + and for -; it was given "
                       "%d times",
                       o->tracks.count);
    GW_UNLESS_GIVEN(o, tuning.rate, rate);
    return gw_check_baseline(o, GW_BASELINE_KMER);
}

// --- the model

static const char *name_of(const void *run, int64_t strand) {
    return ((const counts_run *)run)->names[strand];
}

static gw_status describe(gw_finetune_run *run, const gw_tokenizer *tokenizer, gw_config *config) {
    counts_run *own = run->own;
    const gw_finetune_options *o = run->options;
    (void)tokenizer;
    GW_TRY(gw_check_profiles(config, o->tracks.count, &own->tracks));
    if (own->tracks.columns > own->tracks.strands + 1)
        return gw_fail(GW_ERR_UNSUPPORTED, "a model that is joined with a model of its bias cannot be trained further");
    own->names = gw_alloc(o->tracks.count, sizeof *own->names);
    if (!own->names) return GW_ERR_MEMORY;
    for (int s = 0; s < o->tracks.count; s++)
        if (!(own->names[s] = gw_label_of_file(o->tracks.items[s]))) return GW_ERR_MEMORY;
    config->window = own->tracks.window;
    config->bin = own->tracks.bin;
    config->tss_offset = -1;
    GW_TRY(gw_keep_reference(own->genome, config));
    return gw_classifier_name_labels(config, o->tracks.count, name_of, own);
}

// The model begins with the mean of ln(1 + counts) in training windows.
static gw_status begin_with_mean(const gw_finetune_run *run) {
    const counts_run *own = run->own;
    const gw_count_set *train = &own->train;
    const int64_t width = train->rows * train->strands;
    const gw_parameter *bias = gw_model_role(run->model, GW_ROLE_LOGITS, 0, true);
    float *value = bias ? run->model->parameters.weight + bias->offset : NULL;
    if (!value || *value != 0) return GW_OK; // it goes on
    float *count = gw_alloc(width, sizeof *count);
    if (!count) return GW_ERR_MEMORY;
    double sum = 0;
    for (int64_t i = 0; i < train->count; i++) {
        const gw_region *window = &train->windows[i];
        double total = 0;
        gw_base_counts_fill(train->counts, window->contig, window->begin, window->end, window->strand, count);
        for (int64_t k = 0; k < width; k++) total += (double)count[k];
        sum += log1p(total);
    }
    *value = (float)(sum / (double)train->count);
    free(count);
    return GW_OK;
}

static gw_status make_model(gw_finetune_run *run) {
    const gw_finetune_options *o = run->options;
    counts_run *own = run->own;
    GW_TRY(gw_genome_open(o->fasta, &own->genome));
    GW_TRY(gw_classifier_make(run, true, describe));
    GW_TRY(gw_count_set_open(&o->tuning.sets, &o->tracks, own->genome, gw_split_names[GW_SPLIT_TRAIN], &own->tracks,
                             &own->train));
    if (o->tuning.valid.count > 0)
        GW_TRY(gw_count_set_open(&o->tuning.valid, &o->tracks, own->genome, gw_split_names[GW_SPLIT_VALID],
                                 &own->tracks, &own->valid));
    return begin_with_mean(run);
}

// --- examples of training

typedef struct {
    const gw_count_set *set;
    gw_epochs order;
    int64_t shift; // bp: windows lie up to `shift` from where the set has them, drawn anew every epoch
    bool reverse_at_random;
    gw_batch batch;
    int32_t letter[256];
    char *bases, *flipped; // [window]
    float *number;         // [tokens of a batch][strands]
} count_examples;

static void free_examples(void *self) {
    count_examples *e = self;
    gw_batch_free(&e->batch);
    free(e->bases);
    free(e->flipped);
    free(e->number);
    free(e);
}

static int64_t count(const void *self, int64_t step) {
    return gw_epochs_count(&((const count_examples *)self)->order, step);
}

// The example's window, at the place, on the contig, and on the strand that are drawn for it.
static gw_region draw_window(const count_examples *e, int64_t step, int64_t i) {
    const gw_epochs *order = &e->order;
    gw_region window = e->set->windows[gw_epochs_at(order, step, i)];
    const int64_t reach = e->shift, length = gw_genome_length(e->set->genome, window.contig);
    gw_random random = gw_random_at(order->seed, GW_SITE_AUGMENT, (uint64_t)gw_epochs_number(order, step, i), 0);
    const bool reverse = e->reverse_at_random && gw_random_below(&random, 2) == 1;
    int64_t shift = reach > 0 ? gw_random_between(&random, -reach, reach) : 0;
    shift = gw_min(gw_max(shift, -window.begin), length - window.end);
    window.begin += shift, window.end += shift;
    if (reverse) window.strand = window.strand == '-' ? '+' : '-';
    return window;
}

static gw_status add(void *self, int64_t step, int64_t i, bool *full) {
    count_examples *e = self;
    gw_rows *tokens = &e->batch.of[GW_ROWS_TOKENS];
    const gw_region window = draw_window(e, step, i);
    const int64_t strands = e->set->strands, flank = e->set->flank, length = e->set->rows + 2 * flank;
    const char *bases;
    *full = !gw_rows_fit(tokens, length);
    if (*full) return GW_OK;
    GW_TRY(gw_count_window_bases(e->set->genome, &window, flank, e->bases, &bases, e->flipped));
    float *number = e->number + tokens->count * strands;
    for (int64_t k = 0; k < length * strands; k++) number[k] = NAN; // flanks have no label
    gw_base_counts_fill(e->set->counts, window.contig, window.begin, window.end, window.strand,
                        number + flank * strands);
    for (int64_t k = 0; k < length; k++) tokens->token[tokens->count++] = e->letter[(unsigned char)bases[k]];
    gw_rows_end_sequence(tokens);
    return GW_OK;
}

static gw_status labels(void *self, int64_t step, int64_t i, int64_t *labels) {
    (void)self, (void)step, (void)i;
    labels[GW_ROWS_TOKENS]++; // a loss for each window
    return GW_OK;
}

static gw_status make(count_examples *e, const gw_model *model, int64_t tokens) {
    const int64_t window = e->set->rows + 2 * e->set->flank;
    gw_base_map_letters(model, e->letter);
    e->bases = gw_alloc(window, 1);
    e->flipped = gw_alloc(window, 1);
    e->number = gw_alloc(tokens * e->set->strands, sizeof *e->number);
    if (!e->bases || !e->flipped || !e->number) return GW_ERR_MEMORY;
    GW_TRY(gw_rows_make(&e->batch.of[GW_ROWS_TOKENS], tokens, e->order.batch, GW_WITH_TOKEN));
    e->batch.of[GW_ROWS_TOKENS].number = e->number;
    return GW_OK;
}

static gw_status make_examples(gw_finetune_run *run, const gw_tuning *tuning) {
    static const gw_examples kind = {.count = count, .add = add, .labels = labels, .free = free_examples};
    counts_run *own = run->own;
    count_examples *e = gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    *e = (count_examples){.set = &own->train,
                          .order = gw_tuning_order(tuning, own->train.count),
                          .shift = run->options->shift,
                          .reverse_at_random = gw_reads_both_strands(run->options->strands, run->model)};
    run->epoch_steps = gw_epochs_steps(&e->order);
    const int64_t tokens = gw_max(tuning->tokens, own->tracks.window), sequences = e->order.batch;
    run->examples =
        gw_examples_of(&kind, e, &e->batch, (gw_network_options){.tokens = tokens, .sequences = sequences}, sequences);
    return gw_examples_made(&run->examples, make(e, run->model, tokens));
}

// --- validation

static bool validates(const gw_finetune_run *run) {
    return ((const counts_run *)run->own)->valid.set != NULL;
}

static gw_status prepare(gw_finetune_run *run) {
    counts_run *own = run->own;
    if (!own->valid.set) return GW_OK;
    GW_TRY(gw_count_evaluator_make(&own->valid, own->tracks.count_weight, &own->evaluator));
    own->baseline_made = run->options->baseline != GW_BASELINE_NONE;
    if (own->baseline_made) GW_TRY(gw_count_evaluator_baseline(&own->evaluator, &own->train, &own->baseline));
    return gw_count_network_make(&own->network, run->model, own->genome, 0);
}

static void add_columns(const gw_count_metrics *metrics, gw_epoch_columns *out) {
    gw_epoch_column_add(out, "valid loss", 12, metrics->loss);
    gw_epoch_column_add(out, "Pearson", 9, metrics->pearson);
    gw_epoch_column_add(out, "Spearman", 10, metrics->spearman);
    gw_epoch_column_add(out, "JSD", 8, metrics->distance);
}

static void report(const gw_count_metrics *metrics, json_t *row) {
    const struct {
        const char *name;
        double value;
    } all[] = {{"valid_loss", metrics->loss},
               {"valid_pearson", metrics->pearson},
               {"valid_spearman", metrics->spearman},
               {"valid_jsd", metrics->distance}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!isnan(all[i].value)) json_object_set_new(row, all[i].name, json_real(all[i].value));
}

// More is better: the loss and the distance are negated.
static double value_of(const gw_count_metrics *metrics, count_criterion by) {
    static const double worst = -1e30;
    const double value = by == BY_LOSS ? -metrics->loss : by == BY_PEARSON ? metrics->pearson : -metrics->distance;
    return isnan(value) ? worst : value;
}

static gw_status validate(gw_finetune_run *run, gw_epoch *epoch, json_t *row, double *value) {
    counts_run *own = run->own;
    gw_count_metrics metrics;
    GW_TRY(gw_count_evaluator_run(&own->evaluator, &own->network, NULL, &metrics));
    add_columns(&metrics, &epoch->valid);
    report(&metrics, row);
    *value = value_of(&metrics, criterion(run));
    return GW_OK;
}

static bool baseline_line(const gw_finetune_run *run, gw_epoch_baseline *out) {
    const counts_run *own = run->own;
    *out = (gw_epoch_baseline){.name = "mean, 5-mers"};
    add_columns(&own->baseline, &out->valid);
    return own->baseline_made;
}

static const char *metric(const gw_finetune_run *run) {
    static const char *const names[] = {"loss", "Pearson", "negative JSD"};
    return names[criterion(run)];
}

static void print(const gw_finetune_run *run, gw_string *out) {
    const counts_run *own = run->own;
    gw_classifier_print(run, own->train.count, own->valid.count, (int)criterion(run), out);
    gw_string_printf(out, ", profiles of %lld in %lld bp, counts weigh %.9g", (long long)own->tracks.rows,
                     (long long)own->tracks.window, own->tracks.count_weight);
}

static gw_status save(const gw_finetune_run *run) {
    return gw_trained_on_write_genome(run->options->tuning.output, run->options->tuning.model,
                                      ((const counts_run *)run->own)->genome);
}

static gw_status compare(const gw_finetune_run *run) {
    const counts_run *own = run->own;
    const gw_training_record *record = &run->training.record;
    if (!own->baseline_made || !gw_training_has_best(record)) return GW_OK;
    if (record->best <= value_of(&own->baseline, criterion(run)))
        gw_warn(
            "the model is no better than the mean profile and counting 5-mers: more epochs, another --lr or another "
            "count_loss_weight may help");
    return GW_OK;
}

static void free_own(void *run) {
    counts_run *own = run;
    for (int s = 0; own->names && s < own->tracks.strands; s++) free(own->names[s]);
    free(own->names);
    gw_count_evaluator_free(&own->evaluator);
    gw_count_network_free(&own->network);
    gw_count_set_close(&own->valid);
    gw_count_set_close(&own->train);
    gw_genome_close(own->genome);
}

const gw_task_kind gw_task_kind_counts = {
    .data = &gw_data_counts,
    .of = GW_OF_COUNTS,
    .size = sizeof(counts_run),
    .complete = complete,
    .make_model = make_model,
    .make_examples = make_examples,
    .validates = validates,
    .prepare = prepare,
    .validate = validate,
    .baseline_line = baseline_line,
    .metric = metric,
    .print = print,
    .save = save,
    .compare = compare,
    .free = free_own,
};
