// SPDX-License-Identifier: MIT
// Puts options, preset and usual names together.
#include "tools/texts.h"

#include "model/head.h"
#include "task/questions/question_format.h"

#include <string.h>

static bool has_texts(const char *path) {
    const gw_table_options options = {0};
    gw_table *table;
    if (gw_table_open(path, &options, &table) != GW_OK) return false;
    const bool found = gw_table_has(table, "text") || gw_table_has(table, "sentence");
    gw_table_close(table);
    return found;
}

bool gw_reads_texts(const gw_config *config, const gw_text_options *o, bool preset, const char *path) {
    const bool numbers = gw_config_has_numbers(config) && config->window > 0; // whose columns --label names, too
    const bool asked = o->text || o->second || (o->label.count > 0 && !numbers) || o->choices.count > 0 ||
                       o->table.headless || o->words;
    if (asked || preset || !gw_head_of(config->head)->problem) return true;
    if (config->window > 0) return false;
    return config->problem != GW_PROBLEM_MULTI_LABEL || has_texts(path);
}

bool gw_reads_questions(const gw_config *config, const gw_text_options *o, const char *path) {
    return config->head == GW_HEAD_SPAN && !o->text && !o->second && gw_question_format_of(path);
}
