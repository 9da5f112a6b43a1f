// SPDX-License-Identifier: MIT
// One file set behind a labelled set: what its readers fill and gw_labelled_set serves. Private to lib/task.
#ifndef GW_TASK_LABELLED_PART_H
#define GW_TASK_LABELLED_PART_H

#include "task/label_bits.h"
#include "task/labelled_set.h"

// A row of a set of regions.
typedef struct {
    int64_t begin, end; // of the window, 0-based half-open
    int64_t label_row;  // of bits
    int32_t contig;
    char strand;
} gw_region_row;

typedef struct {
    int64_t count, labels;
    char **label_names; // [labels]
    int64_t bin;        // 0: unknown
    int64_t tss_offset; // -1: none or mixed
    int64_t *row;       // [count] table: row of the file, 1-based
    // A table: everything in memory.
    char *bases;
    int64_t *base_start; // [count + 1]
    float *values;       // [count][labels]
    // A set of regions: `regions` is not NULL.
    gw_genome *genome;
    gw_region_row *regions; // [count]
    gw_label_bits *bits;    // NULL: unlabelled
} gw_labelled_part;

gw_status gw_labelled_table_read(const char *path, const gw_labelled_options *options,
                                 gw_labelled_part *part) GW_MUST_CHECK;
// `prefix` as described in labelled_set.h; `bed` is the region file that was found for it.
gw_status gw_labelled_regions_read(const char *prefix, const char *bed, const gw_labelled_options *options,
                                   gw_labelled_part *part) GW_MUST_CHECK;
void gw_labelled_part_free(gw_labelled_part *part);

// Whether a row of split `found` (NULL: the set has no splits) is wanted.
bool gw_split_wanted(const gw_labelled_options *options, const char *found);
gw_status gw_no_splits(const gw_labelled_options *options, const char *path) GW_MUST_CHECK; // error where required

#endif
