// SPDX-License-Identifier: MIT
// Sets of texts as tokens, and the labels that they have.
#include "base/log.h"
#include "base/memory.h"
#include "language/questions/question_format.h"
#include "task/texts/texts_private.h"

#include <stdlib.h>
#include <string.h>

static gw_status take_classes(const gw_string_list *classes, gw_label_names *names) {
    names->open = classes->count == 0;
    names->name = gw_alloc(classes->count + 1, sizeof *names->name);
    if (!names->name) return GW_ERR_MEMORY;
    for (; names->count < classes->count; names->count++)
        if (!(names->name[names->count] = gw_strdup(classes->items[names->count]))) return GW_ERR_MEMORY;
    return GW_OK;
}

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

// The columns of the set's format; sets in SQuAD's layout have two without names.
static const char *name_column(const void *columns, int64_t label) {
    return ((const char *const *)columns)[label];
}

static gw_status set_columns(const gw_text_set *set, gw_config *config) {
    const char *const *columns = gw_question_format_by_name(set->format)->columns;
    int64_t count = 0;
    while (columns && columns[count]) count++;
    return count > 0 ? gw_classifier_name_labels(config, count, name_column, columns) : GW_OK;
}

static gw_status check_formats(const gw_text_set *train, const gw_text_set *valid) {
    if (valid->rows == 0 || train->labels != GW_TEXT_SPANS || strcmp(train->format, valid->format) == 0) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH, "%s is a set in the layout of %s, and %s in that of %s", train->paths[0],
                   train->format, valid->paths[0], valid->format);
}

static gw_status check_answers(const gw_text_set *set, const char *path) {
    for (int64_t row = 0; row < set->rows; row++)
        if (set->label[2 * row] > 0) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: no window holds an answer to its question", path);
}

static gw_status check_set(const gw_text_set *set, const gw_label_names *names, const char *path) {
    const bool classes = set->labels == GW_TEXT_ONE || set->labels == GW_TEXT_WORDS;
    if (set->labels == GW_TEXT_SPANS) return check_answers(set, path);
    if (set->classes < 1) return gw_fail(GW_ERR_FORMAT, "%s has no labels", path);
    if (!classes || set->classes > 1) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s has one class alone, %s; expected two or more", path, names->name[0]);
}

static gw_problem problem_of(gw_text_labels labels) {
    return labels == GW_TEXT_MANY || labels == GW_TEXT_SPANS ? GW_PROBLEM_MULTI_LABEL
           : labels == GW_TEXT_NUMBERS                       ? GW_PROBLEM_REGRESSION
                                                             : GW_PROBLEM_SINGLE_LABEL;
}

static const char *name_label(const void *names, int64_t label) {
    return ((const gw_label_names *)names)->name[label];
}

gw_status gw_texts_describe(gw_finetune_run *run, const gw_tokenizer *tokenizer, gw_config *config) {
    const gw_finetune_options *o = run->options;
    gw_texts_run *own = run->own;
    gw_text_options texts = o->texts;
    if (!tokenizer) return gw_fail(GW_ERR_UNSUPPORTED, "the model has no tokenizer");
    gw_texts_match(gw_head_of(config->head), &texts);
    texts.most_row_words = gw_texts_row_words(o, tokenizer);
    config->text_length = texts.most;
    GW_TRY(gw_texts_fit(config, &texts));
    GW_TRY(take_classes(&o->classes, &own->names));
    GW_TRY(read_set(&o->tuning.sets, tokenizer, &texts, &own->names, &own->train));
    own->names.open = false;
    GW_TRY(check_set(&own->train, &own->names, o->tuning.sets.items[0]));
    texts.dropped = 0;
    GW_TRY(read_set(&o->tuning.valid, tokenizer, &texts, &own->names, &own->valid));
    GW_TRY(check_formats(&own->train, &own->valid));
    own->metric = o->metric ? gw_metric_by_name(o->metric) : gw_metric_usual(texts.labels);
    config->problem = problem_of(texts.labels);
    GW_TRY(gw_text_guess_make(&own->train, &own->guess));
    if (texts.labels == GW_TEXT_SPANS) return set_columns(&own->train, config);
    return gw_classifier_name_labels(config, own->train.classes, name_label, &own->names);
}
