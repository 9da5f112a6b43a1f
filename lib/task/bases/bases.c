// SPDX-License-Identifier: MIT
// Classes of bases as a kind of task: weighs the classes by frequency, reads windows with their flanks, and evaluates
// each class of the validation set.
#include "task/bases/bases.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "label/held_out.h"
#include "task/bases/evaluate_bases.h"
#include "task/classifier.h"
#include "task/trained_on.h"
#include "task/windows/window_metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    gw_genome *genome;
    gw_base_set train, valid; // valid.set NULL: none
    gw_base_network *network; // of the model in training, for validation
    gw_base_evaluator evaluator;
    double *frequency; // [classes] of the training set's bases
} bases_run;

typedef enum { BY_AUPRC, BY_TOP_K, BY_LOSS } base_criterion;

// NULL: auprc; -1: none of them.
static int criterion_by_name(const char *name) {
    static const char *const names[] = {"auprc", "top-k", "loss"};
    for (int i = 0; name && i < 3; i++)
        if (strcmp(names[i], name) == 0) return i;
    return name ? -1 : BY_AUPRC;
}

static base_criterion criterion(const gw_finetune_run *run) {
    return (base_criterion)criterion_by_name(run->options->metric);
}

// --- weights of classes

static const double least_frequency = 1e-6, most_weight = 100;

// *frequency [classes], of the set's bases; free() it, also on failure.
static gw_status base_frequencies(const gw_base_set *set, int64_t classes, double **frequency) {
    int32_t *class = gw_alloc(gw_labelled_set_longest(set->set), sizeof *class);
    double *sum = *frequency = gw_alloc(classes, sizeof *sum);
    for (int64_t i = 0; class && sum && i < gw_labelled_set_count(set->set); i++) {
        const gw_region window = gw_base_set_window(set, i);
        gw_base_set_labels(set, i, class);
        for (int64_t k = 0; k < window.end - window.begin; k++)
            for (int64_t c = 0; c < classes; c++)
                if (gw_base_has_class(set->overlap, class[k], c)) sum[c] += 1.0 / (double)set->bases;
    }
    free(class);
    return class && sum ? GW_OK : GW_ERR_MEMORY;
}

static double at_least(double frequency) {
    return fmax(frequency, least_frequency);
}

static bool is_balanced(const char *weights) {
    return strcmp(weights, "balanced") == 0;
}

static bool is_root(const char *weights) {
    return strcmp(weights, "root") == 0;
}

// Sets config->positive_weights: "balanced", "root", or a number for each class, none first, between commas.
//
// A class of frequency f weighs, by "balanced", 1 / f, and by "root" 1 / sqrt f, times what makes the mean weight of a
// base 1; where classes overlap, its bases weigh (1 - f) / f, or the root of that, within 1/100 and 100, and all others
// 1. Rare classes then count for more, and probabilities stay what they are, since the logarithm of the weight is taken
// off the logit (network/base_network.h).
static gw_status weigh_classes(const char *weights, const double *frequency, gw_config *config) {
    const int64_t classes = config->labels;
    const bool root = is_root(weights);
    double mean = 0;
    if (!root && !is_balanced(weights))
        return gw_read_weights("--class-weights", weights, classes, &config->positive_weights);
    double *weight = config->positive_weights = gw_alloc(classes, sizeof *weight);
    if (!weight) return GW_ERR_MEMORY;
    for (int64_t c = 0; c < classes; c++) {
        const double f = at_least(frequency[c]), odds = fmin(most_weight, fmax(1 / most_weight, (1 - f) / f));
        if (config->overlap) weight[c] = root ? sqrt(odds) : odds;
        else weight[c] = root ? 1 / sqrt(f) : 1 / f;
        mean += frequency[c] * weight[c];
    }
    for (int64_t c = 0; c < classes; c++) {
        if (!config->overlap) weight[c] /= mean;
        gw_note("class %s weighs %.4g", config->label_names[c], weight[c]);
    }
    return GW_OK;
}

// The logit of knowing a class's frequency.
static double logit_of(const gw_config *config, double frequency, int64_t class) {
    const double f = at_least(frequency), weight = gw_config_positive_weight(config, class);
    return log(f) + log(weight) - (config->overlap ? log(at_least(1 - f)) : 0);
}

// A fresh head begins by knowing how frequent each class is, so that rare ones do not begin with a large loss (Lin et
// al., 2017, section 4.1): its biases, which are 0, become those logits. One that goes on stays as it is.
static void begin_with_frequencies(const gw_model *model, const double *frequency) {
    const gw_config *config = &model->config;
    const gw_parameter *bias = gw_model_role(model, GW_ROLE_LOGITS, 0, true);
    float *values = bias ? model->parameters.weight + bias->offset : NULL;
    for (int64_t c = 0; values && c < config->labels; c++)
        if (values[c] != 0) return; // it goes on
    for (int64_t c = 0; values && c < config->labels; c++) values[c] = (float)logit_of(config, frequency[c], c);
}

// The mean training loss of a model that knows nothing else.
static double base_chance(const gw_config *config, const double *frequency, double focus) {
    const int64_t classes = config->labels;
    double loss = 0, sum = 0;
    for (int64_t c = 0; c < classes; c++) sum += exp(logit_of(config, frequency[c], c));
    for (int64_t c = 0; c < classes; c++) {
        const double f = frequency[c], weight = gw_config_positive_weight(config, c);
        const double p = exp(logit_of(config, f, c)) / sum;
        if (config->overlap)
            loss += (f * gw_label_loss(f, 1, weight) + (1 - f) * gw_label_loss(f, 0, weight)) / (double)classes;
        else loss -= f * weight * pow(1 - p, focus) * log(p);
    }
    return loss;
}

// --- the model

static gw_status complete(gw_finetune_options *o) {
    if (criterion_by_name(o->metric) < 0) return gw_refuse_metric(o);
    if (o->class_weights && !is_balanced(o->class_weights) && !is_root(o->class_weights) &&
        !strpbrk(o->class_weights, "0123456789"))
        return gw_fail(GW_ERR_USAGE, "--class-weights '%s': expected balanced, root, or a number for each class",
                       o->class_weights);
    if (!o->fasta) return gw_fail(GW_ERR_USAGE, "--task bases needs the genome of its sets: -f ref.fa");
    return gw_check_baseline(o, GW_BASELINE_NONE);
}

static gw_status describe(gw_finetune_run *run, const gw_tokenizer *tokenizer, gw_config *config) {
    bases_run *own = run->own;
    const gw_finetune_options *o = run->options;
    config->tss_offset = -1;
    config->pooling = GW_SEQUENCE_FIRST; // there is none
    config->overlap = own->train.overlap;
    if (config->overlap && o->focus > 0)
        return gw_fail(GW_ERR_USAGE, "--focal needs classes that exclude each other; the classes of the set overlap");
    GW_TRY(gw_check_labels_bases(config, tokenizer));
    // labels of a window are those of its bases but for `context` on either side
    const int64_t longest = gw_labelled_set_longest(own->train.set), reach = gw_base_reach(config);
    int64_t context = o->context;
    if (context < 0) context = config->layers > 0 ? gw_max(longest / 8, reach) : reach;
    if (config->layers == 0 && context != reach)
        return gw_fail(
            GW_ERR_USAGE,
            "--context %lld: the model's convolutions read %lld bases on either side; give this number or omit "
            "--context",
            (long long)context, (long long)reach);
    config->bin = longest;
    config->window = longest + 2 * context;
    if (config->window + 2 > gw_config_longest(config))
        return gw_fail(
            GW_ERR_MISMATCH,
            "windows of %lld bases with %lld on either side do not fit the model's %lld positions: --length gives "
            "it more, or labels --window smaller ones",
            (long long)longest, (long long)context, (long long)gw_config_longest(config));
    GW_TRY(gw_keep_reference(own->genome, config));
    GW_TRY(
        gw_classifier_name_labels(config, gw_labelled_set_labels(own->train.set) + 1, gw_base_set_class, &own->train));
    GW_TRY(base_frequencies(&own->train, config->labels, &own->frequency));
    return o->class_weights ? weigh_classes(o->class_weights, own->frequency, config) : GW_OK;
}

static gw_status make_model(gw_finetune_run *run) {
    const gw_finetune_options *o = run->options;
    bases_run *own = run->own;
    GW_TRY(gw_genome_open(o->fasta, &own->genome));
    GW_TRY(gw_base_set_open(&o->tuning.sets, own->genome, gw_split_names[GW_SPLIT_TRAIN], &own->train));
    if (o->tuning.valid.count > 0)
        GW_TRY(gw_base_set_open(&o->tuning.valid, own->genome, gw_split_names[GW_SPLIT_VALID], &own->valid));
    GW_TRY(gw_classifier_make(run, true, describe));
    if (!gw_model_labels_bases(run->model)) return gw_fail(GW_ERR_UNSUPPORTED, "the model cannot label single bases");
    return own->valid.set ? gw_base_set_check(&own->valid, &run->model->config) : GW_OK;
}

// --- examples of training

// Windows of labelled bases: a flank on either side is read and not labelled. A window's letters and classes go into
// the stream of tokens, those of the - strand in reverse.
typedef struct {
    const gw_base_set *set;
    gw_epochs order;
    int64_t flank, shift; // bp: windows lie up to `shift` from where the set has them, drawn anew every epoch
    gw_batch batch;
    int32_t letter[256];
    gw_frame frame;
    char *bases, *flipped; // [longest window with its flanks]
    int32_t *class;        // [longest window]
    int64_t classes;
    float *number; // [tokens of a batch][classes] where classes overlap; else NULL
} base_examples;

static void free_examples(void *self) {
    base_examples *e = self;
    gw_batch_free(&e->batch);
    free(e->bases);
    free(e->flipped);
    free(e->class);
    free(e->number);
    free(e);
}

static int64_t count(const void *self, int64_t step) {
    return gw_epochs_count(&((const base_examples *)self)->order, step);
}

// The example's window, at the place that is drawn for it, which lies on the contig.
static gw_region draw_window(const base_examples *e, int64_t step, int64_t i) {
    const gw_epochs *order = &e->order;
    gw_region window = gw_base_set_window(e->set, gw_epochs_at(order, step, i));
    const int64_t reach = e->shift, length = gw_genome_length(e->set->genome, window.contig);
    if (reach == 0) return window;
    gw_random random = gw_random_at(order->seed, GW_SITE_AUGMENT, (uint64_t)gw_epochs_number(order, step, i), 0);
    int64_t shift = (int64_t)gw_random_below(&random, (uint64_t)(2 * reach + 1)) - reach;
    if (shift < -window.begin) shift = -window.begin;
    if (shift > length - window.end) shift = length - window.end;
    window.begin += shift, window.end += shift;
    return window;
}

// label: as the set's classes fill it; -1: none is known.
static void put(base_examples *e, int32_t token, int32_t label) {
    gw_rows *tokens = &e->batch.of[GW_ROWS_TOKENS];
    float *number = e->number ? e->number + tokens->count * e->classes : NULL;
    for (int64_t c = 0; number && c < e->classes; c++)
        number[c] = label < 0 ? NAN : (float)gw_base_has_class(true, label, c);
    tokens->token[tokens->count] = token;
    tokens->label[tokens->count++] = label;
}

static gw_status add(void *self, int64_t step, int64_t i, bool *full) {
    base_examples *e = self;
    const gw_region window = draw_window(e, step, i);
    const int64_t flank = e->flank, length = window.end - window.begin + 2 * flank;
    const char *bases = e->bases;
    *full = !gw_rows_fit(&e->batch.of[GW_ROWS_TOKENS], length + gw_frame_tokens(&e->frame));
    if (*full) return GW_OK;
    GW_TRY(gw_base_fetch(e->set->genome, window.contig, window.begin - flank, window.end + flank, 0,
                         gw_genome_length(e->set->genome, window.contig), e->bases));
    if (window.strand == '-') {
        gw_reverse_complement(e->bases, length, e->flipped);
        bases = e->flipped;
    }
    gw_base_classes_fill(e->set->classes, window.contig, window.begin, window.end, window.strand, e->class);
    for (int64_t k = 0; k < e->frame.begins; k++) put(e, e->frame.before[k], -1);
    for (int64_t k = 0; k < length; k++) {
        const int64_t at = k - flank, labelled = length - 2 * flank;
        const int64_t base = window.strand == '-' ? labelled - 1 - at : at;
        put(e, e->letter[(unsigned char)bases[k]], at < 0 || at >= labelled ? -1 : e->class[base]);
    }
    for (int64_t k = 0; k < e->frame.ends; k++) put(e, e->frame.after[k], -1);
    gw_rows_end_sequence(&e->batch.of[GW_ROWS_TOKENS]);
    return GW_OK;
}

static gw_status labels(void *self, int64_t step, int64_t i, int64_t *labels) {
    const base_examples *e = self;
    const gw_region window = gw_base_set_window(e->set, gw_epochs_at(&e->order, step, i));
    labels[GW_ROWS_TOKENS] += (window.end - window.begin) * (e->number ? e->classes : 1);
    return GW_OK;
}

static gw_status make(base_examples *e, const gw_model *model, int64_t tokens) {
    const int64_t longest = gw_labelled_set_longest(e->set->set), all = longest + 2 * e->flank;
    e->bases = gw_alloc(all, 1);
    e->flipped = gw_alloc(all, 1);
    e->class = gw_alloc(longest, sizeof *e->class);
    if (!e->bases || !e->flipped || !e->class) return GW_ERR_MEMORY;
    gw_base_map_letters(model, e->letter);
    GW_TRY(gw_rows_make(&e->batch.of[GW_ROWS_TOKENS], tokens, e->order.batch, GW_WITH_TOKEN | GW_WITH_LABEL));
    e->classes = model->config.labels;
    if (!model->config.overlap) return GW_OK;
    e->number = gw_alloc(tokens * e->classes, sizeof *e->number);
    e->batch.of[GW_ROWS_TOKENS].number = e->number;
    return e->number ? GW_OK : GW_ERR_MEMORY;
}

static gw_status make_examples(gw_finetune_run *run, const gw_tuning *tuning) {
    static const gw_examples kind = {.count = count, .add = add, .labels = labels, .free = free_examples};
    const gw_model *model = run->model;
    bases_run *own = run->own;
    gw_frame frame;
    begin_with_frequencies(model, own->frequency);
    GW_TRY(gw_base_frame(model, &frame));
    base_examples *e = gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    *e = (base_examples){.set = &own->train,
                         .order = gw_tuning_order(tuning, gw_labelled_set_count(own->train.set)),
                         .flank = gw_base_flank(model),
                         .shift = run->options->shift,
                         .frame = frame};
    run->epoch_steps = gw_epochs_steps(&e->order);
    const int64_t longest = gw_labelled_set_longest(own->train.set) + 2 * e->flank + gw_frame_tokens(&frame);
    const int64_t tokens = gw_max(tuning->tokens, longest), sequences = e->order.batch;
    run->examples =
        gw_examples_of(&kind, e, &e->batch, (gw_network_options){.tokens = tokens, .sequences = sequences}, sequences);
    return gw_examples_made(&run->examples, make(e, model, tokens));
}

static double chance(gw_finetune_run *run, int64_t step) {
    (void)step; // the same in all of them
    return base_chance(&run->model->config, ((const bases_run *)run->own)->frequency, run->options->focus);
}

// --- validation ----------------------------------------------------------------------------------------------------

static bool validates(const gw_finetune_run *run) {
    return ((const bases_run *)run->own)->valid.set != NULL;
}

static gw_status prepare(gw_finetune_run *run) {
    bases_run *own = run->own;
    if (!own->valid.set) return GW_OK;
    const int64_t flank = gw_base_flank(run->model);
    const gw_base_network_options options = {.longest = gw_labelled_set_longest(own->valid.set) + 2 * flank,
                                             .flank = flank};
    GW_TRY(gw_base_evaluator_make(&own->valid, &run->model->config, &own->evaluator));
    return gw_base_network_new(run->model, &options, &own->network);
}

static void set_number(json_t *row, const char *name, double value) {
    char key[64];
    snprintf(key, sizeof key, "valid_%s", name);
    if (!isnan(value)) json_object_set_new(row, key, json_real(value));
}

static void report(const gw_base_metrics *metrics, json_t *row) {
    set_number(row, "loss", metrics->loss);
    set_number(row, "accuracy", metrics->accuracy);
    set_number(row, "auprc", metrics->auprc);
    set_number(row, "top_k", metrics->top_k);
}

static gw_status validate(gw_finetune_run *run, gw_epoch *epoch, json_t *row, double *value) {
    bases_run *own = run->own;
    const gw_base_metrics *metrics = &own->evaluator.metrics;
    GW_TRY(gw_base_evaluator_run(&own->evaluator, own->network, NULL));
    GW_TRY(gw_base_evaluator_rate(&own->evaluator));
    gw_epoch_column_add(&epoch->valid, "valid loss", 12, metrics->loss);
    gw_epoch_column_add(&epoch->valid, "accuracy", 10, metrics->accuracy);
    gw_epoch_column_add(&epoch->valid, "AUPRC", 8, metrics->auprc);
    gw_epoch_column_add(&epoch->valid, "top-k", 8, metrics->top_k);
    report(metrics, row);
    const base_criterion by = criterion(run);
    *value = by == BY_LOSS ? -metrics->loss : by == BY_TOP_K ? metrics->top_k : metrics->auprc; // more is better
    return GW_OK;
}

static const char *metric(const gw_finetune_run *run) {
    static const char *const names[] = {"mean AUPRC", "mean top-k accuracy", "loss"};
    return names[criterion(run)];
}

static void print(const gw_finetune_run *run, gw_string *out) {
    const bases_run *own = run->own;
    gw_classifier_print(run, gw_labelled_set_count(own->train.set),
                        own->valid.set ? gw_labelled_set_count(own->valid.set) : 0, (int)criterion(run), out);
    gw_string_printf(out, ", windows of %lld in %lld bp", (long long)run->model->config.bin,
                     (long long)run->model->config.window);
    if (run->options->class_weights) gw_string_printf(out, ", classes weigh %s", run->options->class_weights);
    if (run->options->focus > 0) gw_string_printf(out, ", focus %.9g", run->options->focus);
}

// The temperature that the validation set is likeliest under.
static gw_status finish(gw_finetune_run *run) {
    bases_run *own = run->own;
    if (!own->valid.set) return GW_OK;
    GW_TRY(gw_parameters_to_device(&run->model->parameters));
    GW_TRY(gw_base_evaluator_run(&own->evaluator, own->network, NULL));
    gw_temperature_rows rows;
    GW_TRY(gw_base_evaluator_logits(&own->evaluator, &rows));
    return gw_keep_temperature(run->model, &rows);
}

static gw_status save(const gw_finetune_run *run) {
    return gw_trained_on_write_genome(run->options->tuning.output, run->options->tuning.model,
                                      ((const bases_run *)run->own)->genome);
}

static void free_own(void *bases) {
    bases_run *own = bases;
    gw_base_evaluator_free(&own->evaluator);
    gw_base_network_free(own->network);
    gw_base_set_close(&own->valid);
    gw_base_set_close(&own->train);
    gw_genome_close(own->genome);
    free(own->frequency);
}

const gw_task_kind gw_task_kind_bases = {
    .data = &gw_data_bases,
    .of = GW_OF_BASES,
    .size = sizeof(bases_run),
    .complete = complete,
    .make_model = make_model,
    .make_examples = make_examples,
    .validates = validates,
    .prepare = prepare,
    .chance = chance,
    .validate = validate,
    .metric = metric,
    .print = print,
    .finish = finish,
    .save = save,
    .free = free_own,
};
