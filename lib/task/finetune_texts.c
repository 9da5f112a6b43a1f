// SPDX-License-Identifier: MIT
// Fine-tuning on texts: sets as tokens, the labels they have, and how well they are told.
#include "base/log.h"
#include "base/memory.h"
#include "model/task.h"
#include "task/finetune_run.h"
#include "task/questions/question_format.h"
#include "task/texts/predict_texts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool gw_finetune_of_texts(const gw_finetune_run *run) {
    return gw_task_of(run->options->task)->texts;
}

void gw_finetune_free_texts(gw_finetune_texts *texts) {
    gw_text_logits_free(texts->logits);
    gw_text_set_free(&texts->train);
    gw_text_set_free(&texts->valid);
    gw_label_names_free(&texts->names);
    gw_text_guess_free(&texts->guess);
}

static gw_status take_classes(const gw_finetune_options *o, gw_label_names *names) {
    names->open = o->classes.count == 0;
    names->name = gw_alloc(o->classes.count + 1, sizeof *names->name);
    if (!names->name) return GW_ERR_MEMORY;
    for (; names->count < o->classes.count; names->count++)
        if (!(names->name[names->count] = gw_strdup(o->classes.items[names->count]))) return GW_ERR_MEMORY;
    return GW_OK;
}

static gw_status read_set(const char *const *paths, int count, const gw_tokenizer *tokenizer,
                          const gw_text_options *options, gw_label_names *names, gw_text_set *out) {
    if (count == 0) return GW_OK;
    if (options->labels == GW_TEXT_SPANS) return gw_question_set_read(paths, count, tokenizer, options, out);
    GW_TRY(gw_text_set_read(paths, count, tokenizer, options, names, out));
    if (out->cut > 0)
        gw_note("%s%s: %lld of %lld texts are cut to %lld tokens", paths[0], count > 1 ? " ..." : "",
                (long long)out->cut, (long long)(out->rows * out->per_row), (long long)options->most);
    return GW_OK;
}

static gw_status set_labels(const gw_finetune_texts *texts, gw_config *config) {
    config->label_names = gw_alloc(texts->train.classes, sizeof *config->label_names);
    if (!config->label_names) return GW_ERR_MEMORY;
    for (; config->labels < texts->train.classes; config->labels++) {
        char *name = gw_strdup(texts->names.name[config->labels]);
        if (!name) return GW_ERR_MEMORY;
        config->label_names[config->labels] = name;
    }
    return GW_OK;
}

// The columns of the set's format; sets in SQuAD's layout have two without names.
static gw_status set_columns(const gw_text_set *set, gw_config *config) {
    const char *const *columns = gw_question_format_by_name(set->format)->columns;
    int64_t count = 0;
    while (columns && columns[count]) count++;
    if (count == 0) return GW_OK;
    config->label_names = gw_alloc(count, sizeof *config->label_names);
    if (!config->label_names) return GW_ERR_MEMORY;
    for (; config->labels < count; config->labels++)
        if (!(config->label_names[config->labels] = gw_strdup(columns[config->labels]))) return GW_ERR_MEMORY;
    return GW_OK;
}

static gw_status check_valid(const gw_finetune_texts *t) {
    if (t->valid.rows == 0 || t->train.labels != GW_TEXT_SPANS || strcmp(t->train.format, t->valid.format) == 0)
        return GW_OK;
    return gw_fail(GW_ERR_MISMATCH, "%s is a set in the layout of %s, and %s in that of %s", t->train.paths[0],
                   t->train.format, t->valid.paths[0], t->valid.format);
}

static gw_status check_answers(const gw_finetune_run *run, const gw_text_set *set) {
    for (int64_t row = 0; row < set->rows; row++)
        if (set->label[2 * row] > 0) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: no window holds an answer to its question", run->options->tuning.sets.items[0]);
}

static gw_status check_set(const gw_finetune_run *run, const gw_text_set *set) {
    const bool classes = set->labels == GW_TEXT_ONE || set->labels == GW_TEXT_WORDS;
    if (set->labels == GW_TEXT_SPANS) return check_answers(run, set);
    if (set->classes < 1) return gw_fail(GW_ERR_FORMAT, "%s has no labels", run->options->tuning.sets.items[0]);
    if (!classes || set->classes > 1) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s has one class alone, %s; expected two or more",
                   run->options->tuning.sets.items[0], run->texts.names.name[0]);
}

gw_status gw_finetune_read_texts(gw_finetune_run *run, const gw_tokenizer *tokenizer, gw_config *config) {
    const gw_finetune_options *o = run->options;
    gw_finetune_texts *t = &run->texts;
    gw_text_options texts = o->texts;
    if (!tokenizer) return gw_fail(GW_ERR_UNSUPPORTED, "the model has no tokenizer");
    texts.most_row_words = gw_finetune_row_words(o, tokenizer);
    config->text_length = texts.most;
    GW_TRY(gw_texts_fit(config, &texts));
    GW_TRY(take_classes(o, &t->names));
    GW_TRY(read_set(o->tuning.sets.items, o->tuning.sets.count, tokenizer, &texts, &t->names, &t->train));
    t->names.open = false;
    GW_TRY(check_set(run, &t->train));
    texts.dropped = 0;
    GW_TRY(read_set(o->tuning.valid.items, o->tuning.valid.count, tokenizer, &texts, &t->names, &t->valid));
    GW_TRY(check_valid(t));
    t->figure = o->metric ? gw_figure_by_name(o->metric) : gw_figure_usual(texts.labels);
    config->problem = texts.labels == GW_TEXT_MANY || texts.labels == GW_TEXT_SPANS ? GW_PROBLEM_MULTI_LABEL
                      : texts.labels == GW_TEXT_NUMBERS                             ? GW_PROBLEM_REGRESSION
                                                                                    : GW_PROBLEM_SINGLE_LABEL;
    GW_TRY(gw_text_guess_make(&t->train, &t->guess));
    return texts.labels == GW_TEXT_SPANS ? set_columns(&t->train, config) : set_labels(t, config);
}

gw_status gw_finetune_prepare_texts(gw_finetune_run *run) {
    const gw_finetune_options *o = run->options;
    gw_finetune_texts *t = &run->texts;
    const int64_t examples = t->train.right.examples > 0 ? t->train.right.examples : t->train.rows;
    const gw_epochs order = gw_tuning_order(&o->tuning, examples);
    const gw_text_logits_options logits = {.tokens = o->tuning.tokens};
    run->epoch_steps = gw_epochs_steps(&order);
    GW_TRY(gw_text_examples_open(run->model, &t->train, order, o->tuning.tokens, &run->examples));
    return t->valid.rows > 0 ? gw_text_logits_new(run->model, &t->valid, &logits, &t->logits) : GW_OK;
}

gw_status gw_finetune_judge_texts(gw_finetune_run *run, gw_text_figures *figures, double *value) {
    GW_TRY(gw_text_judge(run->texts.logits, &run->texts.valid, NULL, figures));
    *value = gw_text_figures_value(figures, run->texts.figure);
    return GW_OK;
}
