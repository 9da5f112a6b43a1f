// SPDX-License-Identifier: MIT
// The table, and a search by name.
#include "language/text_presets.h"

#include <string.h>

static const gw_text_preset presets[] = {
    {"cola", "4|sentence", NULL, "2", true, false, GW_TEXT_ONE, {"0", "1"}, "mcc", 1e-5, 0.1, 16, 10, 5336, 320},
    {"sst2",
     "sentence",
     NULL,
     "label",
     false,
     false,
     GW_TEXT_ONE,
     {"0", "1"},
     "accuracy",
     1e-5,
     0.1,
     32,
     10,
     20935,
     1256},
    {"mrpc",
     "#1 String",
     "#2 String",
     "Quality",
     false,
     false,
     GW_TEXT_ONE,
     {"0", "1"},
     "f1",
     1e-5,
     0.1,
     16,
     10,
     2296,
     137},
    {"stsb",
     "sentence1|6",
     "sentence2|7",
     "score|5",
     true,
     true,
     GW_TEXT_NUMBERS,
     {0},
     "spearman",
     2e-5,
     0.1,
     16,
     10,
     3598,
     214},
    {"qqp",
     "question1",
     "question2",
     "is_duplicate",
     false,
     false,
     GW_TEXT_ONE,
     {"0", "1"},
     "accuracy",
     1e-5,
     0.1,
     32,
     10,
     113272,
     28318},
    {"mnli",
     "sentence1",
     "sentence2",
     "gold_label",
     false,
     false,
     GW_TEXT_ONE,
     {"entailment", "neutral", "contradiction"},
     "accuracy",
     1e-5,
     0.1,
     32,
     10,
     123873,
     7432},
    {"qnli",
     "question",
     "sentence",
     "label",
     false,
     false,
     GW_TEXT_ONE,
     {"entailment", "not_entailment"},
     "accuracy",
     1e-5,
     0.1,
     32,
     10,
     33112,
     1986},
    {"rte",
     "sentence1",
     "sentence2",
     "label",
     false,
     false,
     GW_TEXT_ONE,
     {"entailment", "not_entailment"},
     "accuracy",
     2e-5,
     0.1,
     16,
     10,
     2036,
     122},
    {"imdb", "text", NULL, "label", false, false, GW_TEXT_ONE, {0}, "micro-f1", 1e-5, 0.01, 64, 40, 0, -1},
    {"yelp5", "text", NULL, "label", false, false, GW_TEXT_ONE, {0}, "micro-f1", 2e-5, 0.01, 32, 2, 0, -1},
    {"arxiv", "text", NULL, "label", false, false, GW_TEXT_ONE, {0}, "micro-f1", 3e-5, 0.01, 64, 10, 0, -1},
    {"patents", "text", NULL, "label", false, false, GW_TEXT_ONE, {0}, "micro-f1", 5e-5, 0.01, 64, 3, 0, -1},
    {"hyperpartisan", "text", NULL, "label", false, false, GW_TEXT_ONE, {0}, "micro-f1", 5e-6, 0.01, 32, 15, 0, -1},
};

const gw_text_preset *gw_text_preset_by_name(const char *name) {
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (name && strcmp(presets[i].name, name) == 0) return &presets[i];
    return NULL;
}

gw_text_options gw_texts_complete(const gw_text_options *given, const gw_text_preset *preset) {
    static const char *const usual = "label";
    gw_text_options options = *given;
    if (preset) {
        options.table.headless = options.table.headless || preset->headless;
        options.table.ragged = preset->ragged;
        if (preset->headless) options.table.header = "sentence|sentence1|index";
        if (!given->second && !given->text) options.second = preset->second;
    }
    if (!given->text) options.text = preset ? preset->text : GW_TEXT_COLUMNS;
    if (given->label.count == 0) options.label = (gw_string_list){preset ? &preset->label : &usual, 1};
    return options;
}
