// SPDX-License-Identifier: MIT
// Classes of bases as a kind of tasks, and the options that it alone takes.
#ifndef GW_TASK_BASES_BASES_H
#define GW_TASK_BASES_BASES_H

#include "base/option.h"
#include "task/finetune_options.h"

// The rows of a gw_finetune_options at `offset` of a command's struct.
#define GW_OPTION_ROWS_BASES(offset)                                                                                   \
    {GW_OPTION_GROUP, .help = "Labels of bases"}, {                                                                    \
        GW_OPTION_INT, 0, "context", "BP", (offset) + offsetof(gw_finetune_options, context),                          \
            "bases on either side of a window that are read and not labelled (-1: what the convolutions reach; with "  \
            "attention also an eighth of the window)",                                                                 \
            .min = -1, .max = 1e6, .of = GW_OF_BASES                                                                   \
    }

#endif
