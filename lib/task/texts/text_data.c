// SPDX-License-Identifier: MIT
// Rows of tables and question sets as a kind of data.
#include "task/texts/text_data.h"

#include "language/questions/question_format.h"
#include "model/head.h"
#include "task/data_kind.h"
#include "task/texts/predict_questions.h"
#include "task/texts/predict_texts.h"

#include <sys/stat.h>

typedef struct {
    bool known, texts, sequences;
} columns;

// What comes through a pipe is read once, by who reads it whole: its columns are not known.
static columns columns_of(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return (columns){0};
    const gw_table_options options = {0};
    gw_table *table;
    if (gw_table_open(path, &options, &table) != GW_OK) return (columns){0};
    const columns found = {.known = true,
                           .texts = gw_table_has(table, "text") || gw_table_has(table, "sentence"),
                           .sequences = gw_table_has(table, "sequence")};
    gw_table_close(table);
    return found;
}

static bool names_texts(const gw_text_options *o) {
    return o->text || o->second || o->choices.count > 0 || o->table.headless || o->words;
}

bool gw_reads_texts(const gw_config *config, const gw_task_input *in) {
    const gw_text_options *o = &in->texts;
    const bool numbers = gw_config_has_numbers(config) && config->window > 0; // whose columns --label names, too
    const bool asked = names_texts(o) || (o->label.count > 0 && !numbers) || in->preset;
    if (asked || !gw_head_of(config->head)->problem) return true;
    if (config->window > 0) return false;
    return config->problem != GW_PROBLEM_MULTI_LABEL || columns_of(in->sets.items[0]).texts;
}

bool gw_learns_of_texts(const gw_text_options *options, const char *set, bool otherwise) {
    if (names_texts(options)) return true;
    const columns found = columns_of(set);
    return found.known ? found.texts && !found.sequences : otherwise;
}

// A model that answers questions reads a file as a question set where no column is named, and it begins so.
static bool reads_questions(const gw_config *config, const gw_task_input *in) {
    return gw_head_names_spans(config->head) && !in->texts.text && !in->texts.second &&
           gw_question_format_of(in->sets.items[0]);
}

static gw_status evaluate(gw_model *const *models, int count, const gw_eval_options *o) {
    if (count > 1) return gw_fail(GW_ERR_USAGE, "texts are rated one model at a time");
    return (reads_questions(&models[0]->config, &o->in) ? gw_eval_questions : gw_eval_texts)(models[0], &o->in);
}

static gw_status predict(gw_model *const *models, int count, const gw_predict_options *o) {
    if (count > 1) return gw_fail(GW_ERR_USAGE, "texts are predicted by one model at a time");
    if (reads_questions(&models[0]->config, &o->in)) return gw_predict_questions(models[0], o);
    if (o->predictions || o->no_answer)
        return gw_fail(GW_ERR_USAGE,
                       "--predictions and --no-answer are of question sets and models that answer questions");
    return gw_predict_texts(models[0], o);
}

const gw_data_kind gw_data_texts = {.evaluate = evaluate, .predict = predict};
