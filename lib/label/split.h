// SPDX-License-Identifier: MIT
// Held-out sequence: which split a window of a genome belongs to.
#ifndef GW_LABEL_SPLIT_H
#define GW_LABEL_SPLIT_H

#include "base/status.h"
#include "seq/genome/regions.h"

#include <stdbool.h>

typedef enum { GW_SPLIT_TRAIN, GW_SPLIT_VALID, GW_SPLIT_TEST, GW_SPLIT_NONE, GW_SPLITS = GW_SPLIT_NONE } gw_set_split;
extern const char *const gw_split_names[GW_SPLITS]; // "train", "valid", "test"
// The split of that name; GW_SPLIT_NONE where it is none of them.
gw_set_split gw_split_named(const char *name);

// Merged regions that are held out; everything else is for training.
typedef struct {
    gw_regions valid, test;
    gw_regions excluded; // windows that touch these are in no split
    bool any;            // something is held out for validation or test
} gw_held_out;

// Region texts as after -r ("VII,XIII", "II:1-2000000"), each may be NULL. Validation and test must not overlap.
gw_status gw_held_out_read(gw_held_out *held_out, gw_genome *genome, const char *valid, const char *test,
                           const char *excluded) GW_MUST_CHECK;
// Cross-validation: contigs are dealt into 3 or more folds of about as many bases; those of fold `fold` (1 to folds)
// are for testing, those of the next one for validation, all others for training.
gw_status gw_held_out_fold(gw_held_out *held_out, gw_genome *genome, int64_t fold, int64_t folds,
                           const char *excluded) GW_MUST_CHECK;
void gw_held_out_free(gw_held_out *held_out);

// The split of the window [begin, end) whose labelled point (the TSS, the middle of the bin) is `point`: test or
// validation where the point lies there, except that a validation window which touches test regions has none; training
// where the window touches nothing held out; none otherwise.
gw_set_split gw_split_of_window(const gw_held_out *held_out, int contig, int64_t begin, int64_t end, int64_t point);

#endif
