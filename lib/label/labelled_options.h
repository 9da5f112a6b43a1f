// SPDX-License-Identifier: MIT
// Which rows of a labelled set are read.
#ifndef GW_LABEL_LABELLED_OPTIONS_H
#define GW_LABEL_LABELLED_OPTIONS_H

#include "base/status.h"
#include "seq/genome/genome.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    gw_genome *genome;   // borrowed; NULL: sets of regions are refused
    const char *split;   // "train", "valid" or "test": rows of that split; NULL or "all": every row
    bool split_required; // a set without splits is refused, instead of giving every row
    // FASTA files without the label: those that are opened are FASTA too, with it. negative_count 0: as their names
    // say.
    const char *const *negatives;
    int negative_count;
    // Tables of measured numbers (labelled_set.h): labels are any finite numbers.
    bool numbers;
    bool unlabelled;           // of them no column is a label: the sequences alone count
    bool missing;              // numbers may be missing: NA, nan or an empty field
    const char *const *labels; // columns of numbers, in this order; label_count 0: all that do not describe
    int label_count;
    const char *const *tracks; // signals whose means over regions are the numbers, in the place of columns
    int track_count;
    const char *group; // column of texts that group rows; NULL: none
    bool tenth; // of FASTA a tenth of the sequences, drawn by their letters, is the split "valid", the others "train"
} gw_labelled_options;

// Whether a row of split `found` (NULL: the set has no splits) is wanted.
bool gw_split_wanted(const gw_labelled_options *options, const char *found);
gw_status gw_no_splits(const gw_labelled_options *options, const char *path) GW_MUST_CHECK; // error where required

#endif
