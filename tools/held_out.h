// SPDX-License-Identifier: MIT
// --test, --valid, --fold and --exclude: what labelled sets of a genome hold out.
#ifndef GW_TOOLS_HELD_OUT_H
#define GW_TOOLS_HELD_OUT_H

#include "label/held_out.h"
#include "tools/cli/cli.h"

#include <stddef.h>

typedef struct {
    const char *test, *valid, *fold, *exclude;
} gw_held_out_arguments;

// Rows of a table of options; at: of its gw_held_out_arguments.
// clang-format off
#define GW_IN_HELD_OUT(at, field) ((at) + offsetof(gw_held_out_arguments, field))
#define GW_OPTION_ROWS_HELD_OUT(at)                                                                                    \
    {GW_OPTION_GROUP, .help = "Held-out sequence"},                                                                    \
    {GW_OPTION_STRING, 0, "test", "LIST", GW_IN_HELD_OUT(at, test), "contigs or regions of the test set"},             \
    {GW_OPTION_STRING, 0, "valid", "LIST", GW_IN_HELD_OUT(at, valid), "contigs or regions of the validation set"},     \
    {GW_OPTION_STRING, 0, "fold", "I/K", GW_IN_HELD_OUT(at, fold),                                                     \
     "cross-validation: the I-th of K shares of the contigs is the test set, the next one for validation"},            \
    {GW_OPTION_STRING, 0, "exclude", "LIST", GW_IN_HELD_OUT(at, exclude), "contigs or regions to leave out"}
// clang-format on

// Freed with gw_held_out_free, also after a failure.
gw_status gw_held_out_of(const gw_held_out_arguments *arguments, gw_genome *genome, gw_held_out *out) GW_MUST_CHECK;

#endif
