// SPDX-License-Identifier: MIT
// --text, --label and the other options for columns of texts and labels in a table.
#ifndef GW_TOOLS_TEXTS_H
#define GW_TOOLS_TEXTS_H

#include "language/text_presets.h"
#include "tools/shared_options.h"

#define GW_OPTION_ROW_OF_TEXTS(kind, name, value_name, offset, field, help, ...)                                       \
    { kind, 0, name, value_name, (offset) + offsetof(gw_text_options, field), help, __VA_ARGS__ }

// Rows of a gw_text_options at `offset` of the command's struct, with the kinds of work that have them: columns of
// texts, of labels, and the lengths of texts.
#define GW_OPTION_ROWS_TEXTS(offset, kinds, kinds_of_labels, kinds_of_lengths)                                         \
    {GW_OPTION_GROUP, .help = "Tables of texts (TSV, CSV, JSONL)", .models = GW_MODEL_TEXTS},                          \
        GW_OPTION_ROW_OF_TEXTS(GW_OPTION_STRING, "text", "COLUMN", offset, text,                                       \
                               "column of the texts (text, sentence or sequence, whichever is there)", .of = (kinds)), \
        GW_OPTION_ROW_OF_TEXTS(GW_OPTION_STRING, "text2", "COLUMN", offset, second, "column of second texts: pairs",   \
                               .of = (kinds)),                                                                         \
        GW_OPTION_ROW_OF_TEXTS(GW_OPTION_LIST, "label", "COLUMN", offset, label,                                       \
                               "column of labels (label); may be repeated: numbers, or 0 and 1 for each of several",   \
                               .of = (kinds_of_labels)),                                                               \
        GW_OPTION_ROW_OF_TEXTS(GW_OPTION_LIST, "choices", "COLUMN", offset, choices,                                   \
                               "column of an answer to choose from; repeated", .of = (kinds)),                         \
        GW_OPTION_ROW_OF_TEXTS(GW_OPTION_FLAG, "headless", NULL, offset, table.headless,                               \
                               "the first line is a row: columns are called 1, 2 ...", .of = (kinds)),                 \
        GW_OPTION_ROW_OF_TEXTS(GW_OPTION_FLAG, "words", NULL, offset, words, "texts are lists of words (JSON)",        \
                               .of = (kinds)),                                                                         \
        GW_OPTION_ROW_OF_TEXTS(GW_OPTION_INT, "max-length", "N", offset, most,                                         \
                               "tokens of a text or pair, special ones included; longer ones are cut (0: as the "      \
                               "model was trained, else its positions)",                                               \
                               .max = 1e7, .of = (kinds_of_lengths))

// Rows for question sets.
#define GW_OPTION_ROWS_QUESTIONS(offset, kinds)                                                                        \
    {GW_OPTION_GROUP, .help = "Questions (SQuAD, HotpotQA, Natural Questions, TriviaQA, WikiHop)",                     \
     .models = GW_MODEL_ANSWERS},                                                                                      \
        GW_OPTION_ROW_OF_TEXTS(                                                                                        \
            GW_OPTION_INT, "stride", "N", offset, stride,                                                              \
            "tokens from one window of a long context to the next (0: half of what a window holds)", .max = 1e7,       \
            .of = (kinds)),                                                                                            \
        GW_OPTION_ROW_OF_TEXTS(GW_OPTION_INT, "max-question", "N", offset, most_question,                              \
                               "tokens that questions are cut to (0: 64, or half a window)", .max = 1e7,               \
                               .of = (kinds)),                                                                         \
        GW_OPTION_ROW_OF_TEXTS(GW_OPTION_INT, "max-answer", "N", offset, longest_answer,                               \
                               "most tokens of an answer; words but of SQuAD (0: 30; 38 and 16 of Natural Questions "  \
                               "and TriviaQA)",                                                                        \
                               .max = 1e6, .of = (kinds)),                                                             \
        GW_OPTION_ROW_OF_TEXTS(GW_OPTION_STRING, "evidence", "FOLDER", offset, evidence,                               \
                               "TriviaQA's documents (evidence, beside the set or above it)", .of = (kinds))

#endif
