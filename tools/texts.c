// SPDX-License-Identifier: MIT
// Puts options, preset and usual names together.
#include "tools/texts.h"

#include "data/question_windows.h"
#include "model/head.h"

#include <string.h>

gw_text_options gw_texts_read(const gw_texts_arguments *a, const gw_text_preset *preset) {
    static const char *const usual = "label";
    gw_text_options options = {
        .table = {.headless = a->headless || (preset && preset->headless), .ragged = preset && preset->ragged},
        .text = a->text  ? a->text
                : preset ? preset->text
                         : GW_TEXT_COLUMNS,
        .second = a->second            ? a->second
                  : preset && !a->text ? preset->second
                                       : NULL,
        .choices = a->choices.items,
        .choice_count = a->choices.count,
        .label = a->label.count > 0 ? a->label.items
                 : preset           ? &preset->label
                                    : &usual,
        .label_count = a->label.count > 0 ? a->label.count : 1,
        .most = a->longest,
        .words = a->words,
    };
    if (preset && preset->headless) options.table.header = "sentence|sentence1|index";
    return options;
}

static bool has_texts(const char *path) {
    const gw_table_options options = {0};
    gw_table *table;
    if (gw_table_open(path, &options, &table) != GW_OK) return false;
    const bool found = gw_table_has(table, "text") || gw_table_has(table, "sentence");
    gw_table_close(table);
    return found;
}

bool gw_reads_texts(const gw_config *config, const gw_texts_arguments *a, bool preset, const char *path) {
    const bool asked = a->text || a->second || a->label.count > 0 || a->choices.count > 0 || a->headless || a->words;
    if (asked || preset || !gw_head_of(config->head)->problem) return true;
    if (config->window > 0) return false;
    return config->problem != GW_PROBLEM_MULTI_LABEL || has_texts(path);
}

void gw_questions_apply(const gw_questions_arguments *a, gw_text_options *texts) {
    texts->labels = GW_TEXT_SPANS;
    texts->stride = a->stride;
    texts->most_question = a->most_question;
    texts->longest_answer = a->longest_answer;
}

bool gw_reads_questions(const gw_config *config, const gw_texts_arguments *a, const char *path) {
    return config->head == GW_HEAD_SPAN && !a->text && !a->second && gw_is_question_set(path);
}
