// SPDX-License-Identifier: MIT
// Options of the commands that write texts with a decoder: how its tokens are searched.
#ifndef GW_TOOLS_SEARCH_H
#define GW_TOOLS_SEARCH_H

#include "run/generate.h"
#include "tools/cli/cli.h"

typedef struct {
    const char *rule;
    int64_t beams, max_length, min_length, no_repeat, batch;
    double length_penalty;
} gw_search_arguments;

#define GW_SEARCH_DEFAULTS                                                                                             \
    { .rule = "hf", .max_length = -1, .min_length = -1, .no_repeat = -1, .batch = 8, .length_penalty = -1 }

#define GW_SEARCH_FIELD(offset, name) (offset) + offsetof(gw_search_arguments, name)
// All rows of a gw_search_arguments at `offset` of the command's struct.
#define GW_OPTION_ROWS_SEARCH(offset)                                                                                  \
    {GW_OPTION_INT,                                                                                                    \
     'b',                                                                                                              \
     "beams",                                                                                                          \
     "N",                                                                                                              \
     GW_SEARCH_FIELD(offset, beams),                                                                                   \
     "beams; 1: greedy (0: as the folder says, else 5)",                                                               \
     .min = 0,                                                                                                         \
     .max = 1024},                                                                                                     \
        {GW_OPTION_CHOICE,                                                                                             \
         0,                                                                                                            \
         "rule",                                                                                                       \
         "NAME",                                                                                                       \
         GW_SEARCH_FIELD(offset, rule),                                                                                \
         "of the score of finished beams, below",                                                                      \
         .choices = "hf|google"},                                                                                      \
        {GW_OPTION_REAL,                                                                                               \
         0,                                                                                                            \
         "length-penalty",                                                                                             \
         "A",                                                                                                          \
         GW_SEARCH_FIELD(offset, length_penalty),                                                                      \
         "exponent of the length that divides log p (-1: as the folder says, else 1)",                                 \
         .min = -1,                                                                                                    \
         .max = 100},                                                                                                  \
        {GW_OPTION_INT,                                                                                                \
         0,                                                                                                            \
         "max-length",                                                                                                 \
         "N",                                                                                                          \
         GW_SEARCH_FIELD(offset, max_length),                                                                          \
         "tokens of a text at most, its start and end counted (-1: as the folder says, else 256)",                     \
         .min = -1,                                                                                                    \
         .max = 1e6},                                                                                                  \
        {GW_OPTION_INT,                                                                                                \
         0,                                                                                                            \
         "min-length",                                                                                                 \
         "N",                                                                                                          \
         GW_SEARCH_FIELD(offset, min_length),                                                                          \
         "and at least (-1: as the folder says, else 0)",                                                              \
         .min = -1,                                                                                                    \
         .max = 1e6},                                                                                                  \
        {GW_OPTION_INT,                                                                                                \
         0,                                                                                                            \
         "no-repeat-ngram",                                                                                            \
         "N",                                                                                                          \
         GW_SEARCH_FIELD(offset, no_repeat),                                                                           \
         "no N tokens in a row occur twice (0: they may; -1: as the folder says)",                                     \
         .min = -1,                                                                                                    \
         .max = 1e6},                                                                                                  \
    {                                                                                                                  \
        GW_OPTION_INT, 0, "batch", "N", GW_SEARCH_FIELD(offset, batch), "texts at a time", .min = 1, .max = 1e5        \
    }

// Paragraph of the help of such commands.
#define GW_SEARCH_HELP                                                                                                 \
    "Beam search keeps N unfinished texts. The sum of log p of a finished one, of n tokens, is divided by its "        \
    "length: --rule hf by n^A, as transformers does; google by ((5 + n) / 6)^A, as the authors of BigBird do, and "    \
    "all --max-length steps are made. An exponent of one rule means little under the other. --beams 1 takes the "      \
    "likeliest token each time (hf)."

// What the model's folder says of its search, and the options before it.
gw_status gw_search_options(const gw_search_arguments *arguments, const char *folder, const gw_model *model,
                            gw_generate_options *out) GW_MUST_CHECK;

#endif
