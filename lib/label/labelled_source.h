// SPDX-License-Identifier: MIT
// One file set behind a labelled set: what its readers fill and gw_labelled_set serves. Private to lib/label.
#ifndef GW_LABEL_LABELLED_SOURCE_H
#define GW_LABEL_LABELLED_SOURCE_H

#include "label/label_bits.h"
#include "seq/genome/genome.h"

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
    char **groups;      // [count] texts of the column that groups rows, or NULL
    char **names;       // [count] of records, or of regions that have any ("." where one has none), or NULL
    // A table or FASTA: everything in memory. `bases` is not NULL.
    int64_t *row; // [count] row of the file, 1-based
    char *bases;
    int64_t *base_start; // [count + 1]
    float *values;       // [count][labels], also of a table of regions
    // A set of regions, or a table of them: `regions` is not NULL.
    gw_genome *genome;
    gw_region_row *regions; // [count]
    // Packed windows: `windows` is not NULL.
    gw_row_file *windows;
    // Of both.
    gw_row_file *bits; // NULL: unlabelled
} gw_labelled_source;

void gw_labelled_source_free(gw_labelled_source *part);

#endif
