// SPDX-License-Identifier: MIT
// Texts about texts as a kind of tasks: a model with a decoder learns to write the target of each source, each token
// from those before it (teacher forcing).
#ifndef GW_TASK_PAIRS_PAIRS_H
#define GW_TASK_PAIRS_PAIRS_H

#include "base/option.h"
#include "task/finetune_options.h"

// The rows of a gw_finetune_options at `offset` of a command's struct that pairs alone take.
#define GW_OPTION_ROWS_PAIRS(offset)                                                                                   \
    {GW_OPTION_GROUP, .help = "Texts about texts (--task summarize)"},                                                 \
        {GW_OPTION_STRING,                                                                                             \
         0,                                                                                                            \
         "source",                                                                                                     \
         "NAME",                                                                                                       \
         (offset) + offsetof(gw_finetune_options, pairs.source),                                                       \
         "column of the texts that are read",                                                                          \
         .of = GW_OF_PAIRS},                                                                                           \
        {GW_OPTION_STRING,                                                                                             \
         0,                                                                                                            \
         "target",                                                                                                     \
         "NAME",                                                                                                       \
         (offset) + offsetof(gw_finetune_options, pairs.target),                                                       \
         "column of the texts that are written",                                                                       \
         .of = GW_OF_PAIRS},                                                                                           \
        {GW_OPTION_INT,                                                                                                \
         0,                                                                                                            \
         "max-source",                                                                                                 \
         "N",                                                                                                          \
         (offset) + offsetof(gw_finetune_options, pairs.most_source),                                                  \
         "tokens that sources are cut to (0: the positions)",                                                          \
         .min = 0,                                                                                                     \
         .max = 1e7,                                                                                                   \
         .of = GW_OF_PAIRS},                                                                                           \
        {GW_OPTION_INT,                                                                                                \
         0,                                                                                                            \
         "max-target",                                                                                                 \
         "N",                                                                                                          \
         (offset) + offsetof(gw_finetune_options, pairs.most_target),                                                  \
         "tokens that targets are cut to, their end kept (0: the positions)",                                          \
         .min = 0,                                                                                                     \
         .max = 1e7,                                                                                                   \
         .of = GW_OF_PAIRS},                                                                                           \
        {GW_OPTION_REAL,                                                                                               \
         0,                                                                                                            \
         "label-smoothing",                                                                                            \
         "S",                                                                                                          \
         (offset) + offsetof(gw_finetune_options, smoothing),                                                          \
         "probability that is spread over all tokens but the right one",                                               \
         .min = 0,                                                                                                     \
         .max = 0.9,                                                                                                   \
         .of = GW_OF_PAIRS},                                                                                           \
    {                                                                                                                  \
        GW_OPTION_NAMED, 0, "optimiser", "NAME", (offset) + offsetof(gw_finetune_options, tuning.optimiser.kind),      \
            "adafactor: as Big Bird and Pegasus use it; its rate is relative to each tensor's size, without weight "   \
            "decay and --clip",                                                                                        \
            .choices = GW_OPTIMISERS, .of = GW_OF_PAIRS                                                                \
    }

#define GW_PAIRS_PRESETS "xsum-base|xsum-large|cnn-base|cnn-large|long-base|long-large|pegasus"

#endif
