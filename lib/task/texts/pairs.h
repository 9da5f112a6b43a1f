// SPDX-License-Identifier: MIT
// Texts about texts as a kind of task: a model with a decoder learns to write the target of each source, each token
// from the earlier tokens (teacher forcing).
#ifndef GW_TASK_TEXTS_PAIRS_H
#define GW_TASK_TEXTS_PAIRS_H

#include "base/option.h"
#include "task/finetune.h"

#define GW_OPTION_ROW_OF_PAIRS(kind, name, value_name, offset, field, help, ...)                                       \
    { kind, 0, name, value_name, (offset) + offsetof(gw_finetune_options, field), help, .of = GW_OF_PAIRS, __VA_ARGS__ }

// Rows of a gw_finetune_options at `offset` of a command's struct, for pairs only.
#define GW_OPTION_ROWS_PAIRS(offset)                                                                                   \
    {GW_OPTION_GROUP, .help = "Texts about texts (--task summarize)"},                                                 \
        GW_OPTION_ROW_OF_PAIRS(GW_OPTION_STRING, "source", "NAME", offset, pairs.source,                               \
                               "column of the texts that are read", ),                                                 \
        GW_OPTION_ROW_OF_PAIRS(GW_OPTION_STRING, "target", "NAME", offset, pairs.target,                               \
                               "column of the texts that are written", ),                                              \
        GW_OPTION_ROW_OF_PAIRS(GW_OPTION_INT, "max-source", "N", offset, pairs.most_source,                            \
                               "tokens that sources are cut to (0: the positions)", .max = 1e7),                       \
        GW_OPTION_ROW_OF_PAIRS(GW_OPTION_INT, "max-target", "N", offset, pairs.most_target,                            \
                               "tokens that targets are cut to, their end kept (0: the positions)", .max = 1e7),       \
        GW_OPTION_ROW_OF_PAIRS(GW_OPTION_REAL, "label-smoothing", "S", offset, smoothing,                              \
                               "probability that is spread over all tokens but the right one", .max = 0.9)

#define GW_PAIRS_PRESETS "xsum-base|xsum-large|cnn-base|cnn-large|long-base|long-large|pegasus"

#endif
