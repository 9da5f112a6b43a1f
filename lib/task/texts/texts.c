// SPDX-License-Identifier: MIT
// Reads sets as rows of tokens, sets the model's labels, and evaluates predictions for the validation set by the
// metrics of its labels.
#include "task/texts/texts.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "language/questions/question_format.h"
#include "language/text_examples.h"
#include "model/mixer.h"
#include "store/checkpoint.h"
#include "task/classifier.h"
#include "task/texts/texts_baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What a run has of its own.
typedef struct {
    gw_text_set train, valid; // valid without rows: none
    gw_label_names names;
    gw_text_logits *logits; // of the model in training, for validation
    int metric;             // by which an epoch is better
    gw_text_guess guess;    // of the training set's labels
    gw_word_baseline baseline;
} texts_run;

// --- sets and their labels -------------------------------------------------------------------------------------------

static gw_status read_set(const gw_string_list *paths, const gw_tokenizer *tokenizer, const gw_text_options *options,
                          gw_label_names *names, gw_text_set *out) {
    if (paths->count == 0) return GW_OK;
    if (options->labels == GW_TEXT_SPANS)
        return gw_question_set_read(paths->items, paths->count, tokenizer, options, out);
    GW_TRY(gw_text_set_read(paths->items, paths->count, tokenizer, options, names, out));
    if (out->cut > 0)
        gw_note("%s%s: %lld of %lld texts are cut to %lld tokens", paths->items[0], paths->count > 1 ? " ..." : "",
                (long long)out->cut, (long long)(out->rows * out->per_row), (long long)options->most);
    return GW_OK;
}

static const char *name_column(const void *columns, int64_t label) {
    return ((const char *const *)columns)[label];
}

static gw_status check_set(const gw_text_set *set, const gw_label_names *names, const char *path) {
    const bool classes = set->labels == GW_TEXT_ONE || set->labels == GW_TEXT_WORDS;
    if (set->labels == GW_TEXT_SPANS) {
        for (int64_t row = 0; row < set->rows; row++)
            if (set->label[2 * row] > 0) return GW_OK;
        return gw_fail(GW_ERR_FORMAT, "%s: no window holds an answer to its question", path);
    }
    if (set->classes < 1) return gw_fail(GW_ERR_FORMAT, "%s has no labels", path);
    if (!classes || set->classes > 1) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s has only one class, %s; expected two or more", path, names->name[0]);
}

static const char *name_label(const void *names, int64_t label) {
    return ((const gw_label_names *)names)->name[label];
}

// A sequence of bases is not a text of words.
static int64_t row_words(const gw_finetune_options *o, const gw_tokenizer *tokenizer) {
    if (o->tuning.valid.count == 0 || (o->texts.labels != GW_TEXT_ONE && o->texts.labels != GW_TEXT_MANY)) return 0;
    if (o->baseline == GW_BASELINE_WORDS) return INT64_MAX;
    return o->baseline == GW_BASELINE_NONE || gw_tokenizer_is_dna(tokenizer) ? 0 : GW_WORD_BASELINE_SMALL;
}

static gw_status describe(gw_finetune_run *run, const gw_tokenizer *tokenizer, gw_config *config) {
    const gw_finetune_options *o = run->options;
    texts_run *own = run->own;
    gw_text_options texts = o->texts;
    if (!tokenizer) return gw_fail(GW_ERR_UNSUPPORTED, "the model has no tokenizer");
    gw_texts_match(gw_head_of(config->head), &texts);
    texts.most_row_words = row_words(o, tokenizer);
    config->text_length = texts.most;
    GW_TRY(gw_texts_fit(config, &texts));
    own->names.open = o->classes.count == 0;
    own->names.name = gw_alloc(o->classes.count + 1, sizeof *own->names.name);
    if (!own->names.name) return GW_ERR_MEMORY;
    for (int64_t *named = &own->names.count; *named < o->classes.count; ++*named)
        if (!(own->names.name[*named] = gw_strdup(o->classes.items[*named]))) return GW_ERR_MEMORY;
    GW_TRY(read_set(&o->tuning.sets, tokenizer, &texts, &own->names, &own->train));
    own->names.open = false;
    GW_TRY(check_set(&own->train, &own->names, o->tuning.sets.items[0]));
    texts.dropped = 0;
    GW_TRY(read_set(&o->tuning.valid, tokenizer, &texts, &own->names, &own->valid));
    if (own->valid.rows > 0 && own->train.format != own->valid.format)
        return gw_fail(GW_ERR_MISMATCH, "%s is a set in the layout of %s, and %s in that of %s", own->train.paths[0],
                       gw_question_format_name(own->train.format), own->valid.paths[0],
                       gw_question_format_name(own->valid.format));
    own->metric = o->metric ? gw_metric_by_name(o->metric)
                            : (texts.labels == GW_TEXT_NUMBERS ? GW_METRIC_SPEARMAN
                               : texts.labels == GW_TEXT_SPANS ? GW_METRIC_F1
                               : texts.labels == GW_TEXT_MANY  ? GW_METRIC_MICRO_F1
                                                               : GW_METRIC_ACCURACY);
    config->problem = texts.labels == GW_TEXT_MANY || texts.labels == GW_TEXT_SPANS ? GW_PROBLEM_MULTI_LABEL
                      : texts.labels == GW_TEXT_NUMBERS                             ? GW_PROBLEM_REGRESSION
                                                                                    : GW_PROBLEM_SINGLE_LABEL;
    GW_TRY(gw_text_guess_make(&own->train, &own->guess));
    if (texts.labels != GW_TEXT_SPANS)
        return gw_classifier_name_labels(config, own->train.classes, name_label, &own->names);
    // The columns of the set's format; sets in SQuAD's layout have two without names.
    const char *const *columns = own->train.format->columns;
    int64_t count = 0;
    while (columns && columns[count]) count++;
    return count > 0 ? gw_classifier_name_labels(config, count, name_column, columns) : GW_OK;
}

// --- options ---------------------------------------------------------------------------------------------------------

static void preset(gw_finetune_options *o, const char *name) {
    const gw_text_preset *preset = gw_text_preset_by_name(name);
    o->texts = gw_texts_complete(&o->texts, preset);
    GW_UNLESS_GIVEN(o, tuning.batch, preset->batch);
    GW_UNLESS_GIVEN(o, tuning.dropout, 0.1);
    GW_UNLESS_GIVEN(o, tuning.rate, preset->rate);
    GW_UNLESS_GIVEN(o, tuning.optimiser.decay, preset->decay);
    GW_UNLESS_GIVEN(o, metric, preset->metric);
    if (preset->labels == GW_TEXT_NUMBERS) GW_UNLESS_GIVEN(o, texts.labels, GW_TEXT_NUMBERS);
    o->classes = (gw_string_list){preset->classes, 0};
    while (o->classes.count < GW_PRESET_CLASSES && preset->classes[o->classes.count]) o->classes.count++;
    if (GW_GIVEN(o, tuning.steps) || GW_GIVEN(o, tuning.epochs)) return;
    o->tuning.epochs = preset->epochs;
    o->tuning.steps = preset->steps;
    GW_UNLESS_GIVEN(o, tuning.warmup, preset->warmup);
}

static gw_status complete_labels(gw_finetune_options *o) {
    const int metric = o->metric ? gw_metric_by_name(o->metric) : GW_METRIC_LOSS;
    o->texts = gw_texts_complete(&o->texts, NULL);
    return metric < 0 || metric == GW_METRIC_EXACT ? gw_refuse_metric(o) : GW_OK;
}

static gw_status complete_classes(gw_finetune_options *o) {
    if (o->positive_weight != 0 && o->texts.labels != GW_TEXT_MANY)
        return gw_fail(GW_ERR_USAGE, "--positive-weight goes with --labels many");
    if (o->positive_weight == GW_BALANCED)
        return gw_fail(GW_ERR_USAGE, "--positive-weight balanced is for windows; for texts give a number");
    GW_TRY(complete_labels(o));
    return gw_check_baseline(o, o->texts.labels == GW_TEXT_NUMBERS ? GW_BASELINE_NONE : GW_BASELINE_WORDS);
}

static gw_status complete_words(gw_finetune_options *o) {
    GW_TRY(complete_labels(o));
    o->texts.labels = GW_TEXT_WORDS;
    o->texts.words = true;
    return gw_check_baseline(o, GW_BASELINE_NONE);
}

// Width of a model folder whose sequences have global tokens, else 0; what is wrong with it is said where it is loaded.
static int64_t width_with_globals(const char *folder) {
    gw_config config;
    char *place = NULL, *path = NULL;
    int64_t width = 0;
    if (folder && gw_checkpoint_folder(folder, &place) == GW_OK) path = gw_join_path(place, "config.json");
    if (path && gw_config_load(path, &config) == GW_OK) {
        if (gw_config_globals(&config) > 0) width = config.width;
        gw_config_free(&config);
    }
    free(place);
    free(path);
    return width;
}

// BigBird's Tables 12 and 13, the second of which is of models 1,024 wide. A length that is given says nothing of the
// stride, which is half of what a window holds then.
enum { LARGE = 1024 };
static void preset_answers(gw_finetune_options *o, const char *name) {
    const gw_question_format *format = gw_question_format_by_name(name);
    GW_UNLESS_GIVEN(o, tuning.batch, format->usual.batch);
    GW_UNLESS_GIVEN(o, tuning.dropout, 0.1);
    const int64_t width = width_with_globals(o->tuning.model);
    const bool globals = format->usual.with_globals_epochs > 0 && width > 0;
    if (format->usual.large_lamb && width >= LARGE) GW_UNLESS_GIVEN(o, tuning.optimiser.kind, GW_OPTIMISER_LAMB);
    GW_UNLESS_GIVEN(o, tuning.rate, globals ? format->usual.with_globals_rate : format->usual.rate);
    GW_UNLESS_GIVEN(o, texts.dropped, format->usual.dropped);
    if (!GW_GIVEN(o, texts.most)) GW_UNLESS_GIVEN(o, texts.stride, format->usual.stride);
    GW_UNLESS_GIVEN(o, texts.most, format->usual.tokens);
    if (!GW_GIVEN(o, tuning.steps))
        GW_UNLESS_GIVEN(o, tuning.epochs, globals ? format->usual.with_globals_epochs : format->usual.epochs);
    o->tuning.usual_globals = format->usual.globals;
    o->tuning.usual_attention = format->usual.attention;
}

static gw_status complete_answers(gw_finetune_options *o) {
    const int metric = o->metric ? gw_metric_by_name(o->metric) : GW_METRIC_F1;
    o->texts = gw_texts_complete(&o->texts, NULL);
    o->texts.labels = GW_TEXT_SPANS;
    if (metric != GW_METRIC_F1 && metric != GW_METRIC_EXACT && metric != GW_METRIC_LOSS) return gw_refuse_metric(o);
    return gw_check_baseline(o, GW_BASELINE_NONE);
}

// --- the run ---------------------------------------------------------------------------------------------------------

static gw_status make_model(gw_finetune_run *run) {
    return gw_classifier_make(run, false, describe);
}

static gw_status make_examples(gw_finetune_run *run, const gw_tuning *tuning) {
    texts_run *own = run->own;
    const int64_t questions = own->train.right.examples; // of sets whose examples are whole questions
    const gw_epochs order = gw_tuning_order(tuning, questions > 0 ? questions : own->train.rows);
    run->epoch_steps = gw_epochs_steps(&order);
    GW_TRY(gw_text_examples_open(run->model, &own->train, order, tuning->tokens, &run->examples));
    return own->valid.rows > 0 ? gw_text_logits_new(run->model, &own->valid, tuning->tokens, &own->logits) : GW_OK;
}

static bool validates(const gw_finetune_run *run) {
    return ((const texts_run *)run->own)->valid.rows > 0;
}

static double chance(gw_finetune_run *run, int64_t step) {
    (void)step;
    return ((const texts_run *)run->own)->guess.loss;
}

static void add_columns(const gw_text_metrics *metrics, gw_epoch_columns *out) {
    for (int f = 0; f < GW_METRICS; f++)
        if (!isnan(metrics->of[f]))
            gw_epoch_column_add(out, f == GW_METRIC_LOSS ? "valid" : gw_metric_names[f], 10, metrics->of[f]);
}

static gw_status validate(gw_finetune_run *run, gw_epoch *epoch, json_t *row, double *value) {
    const texts_run *own = run->own;
    gw_text_metrics metrics;
    GW_TRY(gw_text_metrics_compute(own->logits, &own->valid, NULL, &metrics));
    add_columns(&metrics, &epoch->valid);
    gw_text_metrics_report(&metrics, "valid", row);
    const gw_word_baseline *baseline = &own->baseline;
    if (baseline->words > 0) {
        json_object_set_new(row, "baseline_words", json_integer(baseline->words));
        gw_text_metrics_report(&baseline->metrics, "baseline", row);
    }
    *value = gw_text_metrics_value(&metrics, own->metric);
    return GW_OK;
}

static const char *metric(const gw_finetune_run *run) {
    return gw_metric_names[((const texts_run *)run->own)->metric];
}

static void print(const gw_finetune_run *run, gw_string *out) {
    enum { OF_TEXTS = 100 }; // numbers of their metrics begin where no criterion of windows is
    const texts_run *own = run->own;
    gw_classifier_print(run, own->train.rows, own->valid.rows, OF_TEXTS + own->metric, out);
}

// Logits of texts one after another: of rows, or of their tokens.
typedef struct {
    float *value;
    int64_t count, capacity;
} logit_list;

static gw_status keep_logits(void *context, int64_t row, const float *z, int64_t count) {
    (void)row;
    logit_list *list = context;
    GW_TRY(gw_reserve(&list->value, &list->capacity, list->count + count, sizeof *list->value));
    memcpy(list->value + list->count, z, (size_t)count * sizeof *z);
    list->count += count;
    return GW_OK;
}

// The temperature of the labels' logits on the validation set.
static gw_status finish(gw_finetune_run *run) {
    const texts_run *own = run->own;
    const int64_t labels = run->model->config.labels;
    if (own->valid.rows == 0 || !gw_config_has_classes(&run->model->config)) return GW_OK;
    logit_list list = {0};
    double *none = gw_alloc(labels, sizeof *none); // ln w is off already
    gw_status status = none ? gw_parameters_to_device(&run->model->parameters) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_text_logits_run(own->logits, NULL, keep_logits, &list);
    const gw_temperature_rows rows = {.rows = list.count / labels,
                                      .labels = labels,
                                      .strands = 1,
                                      .logit = list.value,
                                      .shift = none,
                                      .value = own->valid.number,
                                      .label = own->valid.label};
    if (status == GW_OK) status = gw_keep_temperature(run->model, &rows);
    free(list.value);
    free(none);
    return status;
}

static void free_own(void *texts) {
    texts_run *own = texts;
    gw_text_logits_free(own->logits);
    gw_text_set_free(&own->train);
    gw_text_set_free(&own->valid);
    gw_label_names_free(&own->names);
    gw_text_guess_free(&own->guess);
}

// --- beside the model ------------------------------------------------------------------------------------------------

static gw_status make_baseline(gw_finetune_run *run) {
    texts_run *own = run->own;
    const int64_t cost = gw_word_baseline_cost(&own->train, &own->valid);
    if (cost > 0 && (cost <= GW_WORD_BASELINE_SMALL || run->options->baseline == GW_BASELINE_WORDS))
        GW_TRY(gw_word_baseline_run(&own->train, &own->valid, own->metric, &own->baseline));
    if (run->options->baseline == GW_BASELINE_WORDS && own->baseline.words == 0)
        gw_warn("there is no baseline of words: no word occurs in two texts of the training set");
    gw_row_words_free(&own->train.row_words);
    gw_row_words_free(&own->valid.row_words);
    return GW_OK;
}

// The value of guessing. Of questions: that none has an answer; or the loss of any place in the window. Where it means
// nothing, 0: correlations with a constant.
static gw_status guessed_value(const texts_run *own, double *out) {
    const gw_questions *q = &own->valid.questions;
    gw_text_metrics metrics;
    gw_text_guess guess;
    int64_t without = 0;
    if (own->valid.labels != GW_TEXT_SPANS) {
        GW_TRY(gw_text_metrics_of_logits(own->guess.logits, 0, &own->valid, &metrics));
        *out = isnan(metrics.of[own->metric]) ? 0 : gw_text_metrics_value(&metrics, own->metric);
        return GW_OK;
    }
    for (int64_t i = 0; i < q->count; i++) without += q->question[i].answers == 0;
    *out = q->unanswerable ? (double)without / (double)q->count : 0;
    if (own->metric != GW_METRIC_LOSS) return GW_OK;
    GW_TRY(gw_text_guess_make(&own->valid, &guess));
    *out = -guess.loss;
    gw_text_guess_free(&guess);
    return GW_OK;
}

static gw_status compare(const gw_finetune_run *run) {
    const texts_run *own = run->own;
    const gw_word_baseline *baseline = &own->baseline;
    const gw_training_record *record = &run->training.record;
    const char *metric = gw_metric_names[own->metric];
    const double model = record->best, sign = own->metric == GW_METRIC_LOSS ? -1 : 1;
    const double easy = sign < 0 ? INFINITY : 0.95; // above it the set itself is what is learnt
    double guess;
    if (!gw_training_has_best(record)) return GW_OK;
    if (model <= GW_METRIC_WORST) {
        gw_warn("%s on the validation set is undefined: its labels, or the model's predictions, are all the same",
                metric);
        return GW_OK;
    }
    if (baseline->words > 0)
        gw_note("%s on the validation set: model %.4f, logistic regression on %lld words %.4f", metric, sign * model,
                (long long)baseline->words, baseline->metrics.of[own->metric]);
    GW_TRY(guessed_value(own, &guess));
    if (model <= guess)
        gw_warn("the model is at chance: its validation %s of %.4f is no better than predicting the frequency of each "
                "label alone, %.4f; try another --lr, a pretrained model, or more epochs",
                metric, sign * model, sign * guess);
    else if (baseline->words > 0 && model <= gw_text_metrics_value(&baseline->metrics, own->metric))
        gw_warn("the model is no better than counting words: %s",
                sign * gw_text_metrics_value(&baseline->metrics, own->metric) > easy
                    ? "counts alone predict this set well, and leave a model little to learn"
                    : "more epochs, a pretrained model, or another --lr may help");
    return GW_OK;
}

static bool baseline_line(const gw_finetune_run *run, gw_epoch_baseline *out) {
    const texts_run *own = run->own;
    if (own->baseline.words == 0) return false;
    const double accuracy = own->baseline.metrics.of[GW_METRIC_ACCURACY];
    const double error = sqrt(accuracy * (1 - accuracy) / (double)own->valid.rows);
    *out = (gw_epoch_baseline){"words", .metric = "accuracy", .error = own->valid.labels == GW_TEXT_ONE ? error : 0};
    add_columns(&own->baseline.metrics, &out->valid);
    return true;
}

#define TEXTS                                                                                                          \
    .size = sizeof(texts_run), .make_model = make_model, .make_examples = make_examples, .validates = validates,       \
    .prepare = make_baseline, .chance = chance, .validate = validate, .baseline_line = baseline_line,                  \
    .metric = metric, .print = print, .finish = finish, .compare = compare, .free = free_own
const gw_task_kind gw_task_kind_classes = {
    .of = GW_OF_CLASSES, .presets = GW_TEXT_PRESETS, .preset = preset, .complete = complete_classes, TEXTS};
const gw_task_kind gw_task_kind_words = {.of = GW_OF_WORDS, .complete = complete_words, TEXTS};
const gw_task_kind gw_task_kind_answers = {
    .of = GW_OF_ANSWERS, .presets = GW_QUESTION_FORMATS, .preset = preset_answers, .complete = complete_answers, TEXTS};
