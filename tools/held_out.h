// SPDX-License-Identifier: MIT
// --test, --valid, --fold and --exclude: what labelled sets of a genome hold out.
#ifndef GW_TOOLS_HELD_OUT_H
#define GW_TOOLS_HELD_OUT_H

#include "label/split.h"
#include "tools/cli/cli.h"

#include <stddef.h>

typedef struct {
    const char *test, *valid, *fold, *exclude;
} gw_held_out_arguments;

// Rows of a table of options; offset: of its gw_held_out_arguments.
#define GW_OPTION_ROWS_HELD_OUT(offset)                                                                                \
    {GW_OPTION_GROUP, .help = "Held-out sequence"},                                                                    \
        {GW_OPTION_STRING,                                                                                             \
         0,                                                                                                            \
         "test",                                                                                                       \
         "LIST",                                                                                                       \
         (offset) + offsetof(gw_held_out_arguments, test),                                                             \
         "contigs or regions of the test set"},                                                                        \
        {GW_OPTION_STRING,                                                                                             \
         0,                                                                                                            \
         "valid",                                                                                                      \
         "LIST",                                                                                                       \
         (offset) + offsetof(gw_held_out_arguments, valid),                                                            \
         "contigs or regions of the validation set"},                                                                  \
        {GW_OPTION_STRING,                                                                                             \
         0,                                                                                                            \
         "fold",                                                                                                       \
         "I/K",                                                                                                        \
         (offset) + offsetof(gw_held_out_arguments, fold),                                                             \
         "cross-validation: the I-th of K shares of the contigs is the test set, the next one for validation"},        \
    {                                                                                                                  \
        GW_OPTION_STRING, 0, "exclude", "LIST", (offset) + offsetof(gw_held_out_arguments, exclude),                   \
            "contigs or regions to leave out"                                                                          \
    }

// Freed with gw_held_out_free, also after a failure.
gw_status gw_held_out_of(const gw_held_out_arguments *arguments, gw_genome *genome, gw_held_out *out) GW_MUST_CHECK;

#endif
