// SPDX-License-Identifier: MIT
// Options for commands that write texts with a decoder: the search of tokens.
#ifndef GW_TOOLS_SEARCH_H
#define GW_TOOLS_SEARCH_H

#include "language/generate.h"
#include "tools/cli/cli.h"

#define GW_IN_SEARCH(at, field) (at) + offsetof(gw_generate_options, field)
// All rows of a gw_generate_options; `at`: its offset in the command's struct.
// clang-format off
#define GW_OPTION_ROWS_SEARCH(at)                                                                                      \
    {GW_OPTION_INT, 'b', "beams", "N", GW_IN_SEARCH(at, search.beams),                                                 \
     "beams; 1: greedy (0: as the folder says, else 5)", .min = 0, .max = 1024},                                       \
    {GW_OPTION_NAMED, 0, "rule", "NAME", GW_IN_SEARCH(at, search.rule), "of the score of finished beams, below",       \
     .choices = "hf|google"},                                                                                          \
    {GW_OPTION_REAL, 0, "length-penalty", "A", GW_IN_SEARCH(at, search.length_penalty),                                \
     "exponent of the length that divides log p (-1: as the folder says, else 1)", .min = -1, .max = 100},             \
    {GW_OPTION_INT, 0, "max-length", "N", GW_IN_SEARCH(at, search.max_length),                                         \
     "tokens of a text at most, its start and end counted (-1: as the folder says, else 256)", .min = -1, .max = 1e6}, \
    {GW_OPTION_INT, 0, "min-length", "N", GW_IN_SEARCH(at, search.min_length),                                         \
     "and at least (-1: as the folder says, else 0)", .min = -1, .max = 1e6},                                          \
    {GW_OPTION_INT, 0, "no-repeat-ngram", "N", GW_IN_SEARCH(at, search.no_repeat_ngram),                               \
     "no N tokens in a row occur twice (0: they may; -1: as the folder says)", .min = -1, .max = 1e6},                 \
    {GW_OPTION_INT, 0, "batch", "N", GW_IN_SEARCH(at, batch), "texts at a time", .min = 1, .max = 1e5}
// clang-format on

// Paragraph for the help of these commands.
#define GW_SEARCH_HELP                                                                                                 \
    "Beam search keeps N unfinished texts. The sum of log p of a finished one, of n tokens, is divided by its "        \
    "length: --rule hf by n^A, as transformers does; google by ((5 + n) / 6)^A, as the authors of BigBird do, and "    \
    "all --max-length steps are made. An exponent of one rule means little under the other. --beams 1 takes the "      \
    "likeliest token each time (hf)."

#endif
