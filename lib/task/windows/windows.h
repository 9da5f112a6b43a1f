// SPDX-License-Identifier: MIT
// Labels of windows as kinds of tasks: bins (profiles), sites with a strand (promoters), and measured numbers.
#ifndef GW_TASK_WINDOWS_WINDOWS_H
#define GW_TASK_WINDOWS_WINDOWS_H

#include "base/option.h"
#include "task/finetune.h"

#define GW_OPTION_ROW_OF_WINDOWS(kind, letter, name, value_name, offset, field, help, ...)                             \
    { kind, letter, name, value_name, (offset) + offsetof(gw_finetune_options, field), help, __VA_ARGS__ }

// Rows of a gw_finetune_options at `offset` of a command's struct, for windows only.
#define GW_OPTION_ROWS_WINDOWS(offset)                                                                                 \
    {GW_OPTION_GROUP, .help = "Windows of bases"},                                                                     \
        GW_OPTION_ROW_OF_WINDOWS(GW_OPTION_STRING, 'f', "fasta", "FILE", offset, fasta,                                \
                                 "reference genome of sets of regions",                                                \
                                 .of = GW_OF_WINDOWS | GW_OF_BASES | GW_OF_COUNTS),                                    \
        GW_OPTION_ROW_OF_WINDOWS(GW_OPTION_LIST, 0, "negatives-fasta", "FILE", offset, negatives,                      \
                                 "sequences without the label; -d is FASTA then, of those with it; may be repeated",   \
                                 .of = GW_OF_PRESENCE),                                                                \
        GW_OPTION_ROW_OF_WINDOWS(GW_OPTION_LIST, 0, "valid-negatives-fasta", "FILE", offset, valid_negatives,          \
                                 "the same of --valid (where that is -d itself: a tenth of all sequences validates, "  \
                                 "the others train)",                                                                  \
                                 .of = GW_OF_PRESENCE),                                                                \
        GW_OPTION_ROW_OF_WINDOWS(GW_OPTION_SETS, 0, "both-strands", NULL, offset, strands,                             \
                                 "reverse complement half of the examples at random (the default, where the task "     \
                                 "reads both)",                                                                        \
                                 .min = GW_STRANDS_BOTH, .of = GW_OF_WINDOWS | GW_OF_COUNTS),                          \
        GW_OPTION_ROW_OF_WINDOWS(GW_OPTION_SETS, 0, "one-strand", NULL, offset, strands,                               \
                                 "train on the strand given (the default, where the task reads one)",                  \
                                 .min = GW_STRANDS_ONE, .of = GW_OF_WINDOWS | GW_OF_COUNTS),                           \
        GW_OPTION_ROW_OF_WINDOWS(GW_OPTION_INT, 0, "shift", "BP", offset, shift,                                       \
                                 "each epoch reads a window up to BP bases from where it is, at random; what a set "   \
                                 "lacks is N",                                                                         \
                                 .max = 1e6, .of = GW_OF_WINDOWS | GW_OF_BASES | GW_OF_COUNTS),                        \
        GW_OPTION_ROW_OF_WINDOWS(GW_OPTION_INT, 0, "window", "BP", offset, window,                                     \
                                 "width of a window, kept in the model (0: that of the training set)", .max = 1e9,     \
                                 .of = GW_OF_WINDOWS),                                                                 \
        GW_OPTION_ROW_OF_WINDOWS(GW_OPTION_INT, 0, "tss-offset", "BP", offset, tss_offset,                             \
                                 "bases before the TSS, kept in the model (-1: as the training set says)", .min = -1,  \
                                 .max = 1e9, .of = GW_OF_SITES)

// Rows for numbers only.
#define GW_OPTION_ROWS_NUMBERS(offset)                                                                                 \
    {GW_OPTION_GROUP, .help = "Measured numbers"},                                                                     \
        GW_OPTION_ROW_OF_WINDOWS(GW_OPTION_LIST, 0, "track", "FILE", offset, tracks,                                   \
                                 "bigWig or bedGraph whose means over the set's regions are the numbers; may be "      \
                                 "repeated; of profiles the counts of bases: once, or for + and for -",                \
                                 .of = GW_OF_NUMBERS | GW_OF_COUNTS),                                                  \
        GW_OPTION_ROW_OF_WINDOWS(                                                                                      \
            GW_OPTION_NAMED, 0, "loss", "NAME", offset, loss,                                                          \
            "squared errors; Huber's, which outliers bend less; poisson: counts, by the "                              \
            "logarithm of their mean; gaussian: with a variance that is learned for each example",                     \
            .choices = GW_NUMBER_LOSSES, .of = GW_OF_NUMBERS),                                                         \
        GW_OPTION_ROW_OF_WINDOWS(GW_OPTION_REAL, 0, "huber-delta", "D", offset, bend,                                  \
                                 "standard deviations from which Huber's loss grows as a line (0: 1)", .max = 1e6,     \
                                 .of = GW_OF_NUMBERS),                                                                 \
        GW_OPTION_ROW_OF_WINDOWS(GW_OPTION_STRING, 0, "label-weights", "W,W,...", offset, label_weights,               \
                                 "weight of each column in the loss (1)", .of = GW_OF_NUMBERS),                        \
        GW_OPTION_ROW_OF_WINDOWS(GW_OPTION_FLAG, 0, "one-number", NULL, offset, one_number,                            \
                                 "columns are one number as several sources have it: the model says one, and learns "  \
                                 "a slope and an offset for each column",                                              \
                                 .of = GW_OF_NUMBERS),                                                                 \
        GW_OPTION_ROW_OF_WINDOWS(GW_OPTION_FLAG, 0, "missing", NULL, offset, missing,                                  \
                                 "NA and empty fields are numbers that are not known, which cost nothing",             \
                                 .of = GW_OF_NUMBERS),                                                                 \
        GW_OPTION_ROW_OF_WINDOWS(GW_OPTION_STRING, 0, "overlaps", "FILE", offset, overlaps,                            \
                                 "write which validation rows share 31 bases in a row with training rows",             \
                                 .of = GW_OF_NUMBERS, .writes = true, .endings = GW_TABLE_ENDINGS)

#define GW_BINS_PRESETS "paper-profiles"
#define GW_SITES_PRESETS "paper-promoter"

#endif
