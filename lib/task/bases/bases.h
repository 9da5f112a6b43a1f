// SPDX-License-Identifier: MIT
// Classes of bases as a kind of task, and its own options.
#ifndef GW_TASK_BASES_BASES_H
#define GW_TASK_BASES_BASES_H

#include "base/option.h"
#include "task/finetune.h"

// Rows of a gw_finetune_options at `offset` of a command's struct.
#define GW_OPTION_ROWS_BASES(offset)                                                                                   \
    {GW_OPTION_GROUP, .help = "Labels of bases"},                                                                      \
        {GW_OPTION_INT,                                                                                                \
         0,                                                                                                            \
         "context",                                                                                                    \
         "BP",                                                                                                         \
         (offset) + offsetof(gw_finetune_options, context),                                                            \
         "bases on either side of a window that are read and not labelled (-1: what the convolutions reach; with "     \
         "attention also an eighth of the window)",                                                                    \
         .min = -1,                                                                                                    \
         .max = 1e6,                                                                                                   \
         .of = GW_OF_BASES},                                                                                           \
        {GW_OPTION_STRING,                                                                                             \
         0,                                                                                                            \
         "class-weights",                                                                                              \
         "WHICH",                                                                                                      \
         (offset) + offsetof(gw_finetune_options, class_weights),                                                      \
         "what bases weigh in the loss by their class: balanced (one over its frequency), root (over the root of "     \
         "that), or a number for each, none first, between commas (1)",                                                \
         .of = GW_OF_BASES},                                                                                           \
    {                                                                                                                  \
        GW_OPTION_REAL, 0, "focal", "G", (offset) + offsetof(gw_finetune_options, focus),                              \
            "focal loss: that of a base weighs (1 - p)^G, p the probability of its class (0: none)", .max = 10,        \
                                                                                                     .of = GW_OF_BASES \
    }

#endif
