// SPDX-License-Identifier: MIT
// --text, --label and the other options that say where texts and their labels stand in a table.
#ifndef GW_TOOLS_TEXTS_H
#define GW_TOOLS_TEXTS_H

#include "data/text_presets.h"
#include "run/predict_texts.h"
#include "tools/cli.h"

// The column that texts stand in, whichever is there.
#define GW_TEXT_COLUMNS "text|sentence|sequence"

typedef struct {
    const char *text, *second;
    gw_string_list label, choices;
    int64_t longest;
    bool headless, words;
} gw_texts_arguments;

// The rows of a gw_texts_arguments at `offset` of the command's struct.
#define GW_OPTION_ROWS_TEXTS(offset)                                                                                   \
    {GW_OPTION_GROUP, .help = "Tables of texts (TSV, CSV, JSONL)"},                                                    \
        {GW_OPTION_STRING,                                                                                             \
         0,                                                                                                            \
         "text",                                                                                                       \
         "COLUMN",                                                                                                     \
         (offset) + offsetof(gw_texts_arguments, text),                                                                \
         "column of the texts (text, sentence or sequence, whichever is there)"},                                      \
        {GW_OPTION_STRING,                                                                                             \
         0,                                                                                                            \
         "text2",                                                                                                      \
         "COLUMN",                                                                                                     \
         (offset) + offsetof(gw_texts_arguments, second),                                                              \
         "column of second texts: pairs"},                                                                             \
        {GW_OPTION_LIST,                                                                                               \
         0,                                                                                                            \
         "label",                                                                                                      \
         "COLUMN",                                                                                                     \
         (offset) + offsetof(gw_texts_arguments, label),                                                               \
         "column of labels (label); may be repeated: numbers, or 0 and 1 for each of several"},                        \
        {GW_OPTION_LIST,                                                                                               \
         0,                                                                                                            \
         "choices",                                                                                                    \
         "COLUMN",                                                                                                     \
         (offset) + offsetof(gw_texts_arguments, choices),                                                             \
         "column of an answer to choose from; repeated"},                                                              \
        {GW_OPTION_FLAG,                                                                                               \
         0,                                                                                                            \
         "headless",                                                                                                   \
         NULL,                                                                                                         \
         (offset) + offsetof(gw_texts_arguments, headless),                                                            \
         "the first line is a row: columns are called 1, 2 ..."},                                                      \
        {GW_OPTION_FLAG,                                                                                               \
         0,                                                                                                            \
         "words",                                                                                                      \
         NULL,                                                                                                         \
         (offset) + offsetof(gw_texts_arguments, words),                                                               \
         "texts are lists of words (JSON)"},                                                                           \
    {                                                                                                                  \
        GW_OPTION_INT, 0, "max-length", "N", (offset) + offsetof(gw_texts_arguments, longest),                         \
            "tokens of a text or pair, special ones included; longer ones are cut (0: as the model "                   \
            "was trained, else its positions)",                                                                        \
            .min = 0, .max = 1e7                                                                                       \
    }

// How questions are asked and answered.
typedef struct {
    int64_t stride, most_question, longest_answer;
} gw_questions_arguments;

// The rows of a gw_questions_arguments at `offset` of the command's struct.
#define GW_OPTION_ROWS_QUESTIONS(offset)                                                                               \
    {GW_OPTION_GROUP, .help = "Questions (sets in SQuAD's layout)"},                                                   \
        {GW_OPTION_INT,                                                                                                \
         0,                                                                                                            \
         "stride",                                                                                                     \
         "N",                                                                                                          \
         (offset) + offsetof(gw_questions_arguments, stride),                                                          \
         "tokens from one window of a long context to the next (0: half of what a window holds)",                      \
         .min = 0,                                                                                                     \
         .max = 1e7},                                                                                                  \
        {GW_OPTION_INT,                                                                                                \
         0,                                                                                                            \
         "max-question",                                                                                               \
         "N",                                                                                                          \
         (offset) + offsetof(gw_questions_arguments, most_question),                                                   \
         "tokens that questions are cut to (0: 64, or half a window)",                                                 \
         .min = 0,                                                                                                     \
         .max = 1e7},                                                                                                  \
    {                                                                                                                  \
        GW_OPTION_INT, 0, "max-answer", "N", (offset) + offsetof(gw_questions_arguments, longest_answer),              \
            "most tokens of an answer (0: 30)", .min = 0, .max = 1e6                                                   \
    }

// The options, where they are silent the preset's (NULL: none), where that is silent too the usual ones.
gw_text_options gw_texts_read(const gw_texts_arguments *arguments, const gw_text_preset *preset);
// The settings of questions, put into those of texts.
void gw_questions_apply(const gw_questions_arguments *arguments, gw_text_options *texts);
// Whether a model that answers questions is to read a file as a question set: where no column is named, and it begins
// so.
bool gw_reads_questions(const gw_config *config, const gw_texts_arguments *arguments, const char *path);
// Whether a model is to read a table as texts, not as windows of bases: where options or a preset say so, where its
// head gives no labels of windows, and where the table has a column `text` or `sentence` or is of JSON.
bool gw_reads_texts(const gw_config *config, const gw_texts_arguments *arguments, bool preset, const char *path);

#endif
