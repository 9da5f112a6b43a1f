// SPDX-License-Identifier: MIT
// One file set behind a labelled set: readers fill it and gw_labelled_set serves it. Private to lib/label.
#ifndef GW_LABEL_LABELLED_SOURCE_H
#define GW_LABEL_LABELLED_SOURCE_H

#include "base/json.h"
#include "file/table.h"
#include "label/labelled_set.h"
#include "label/row_file.h"
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

// Every reader below begins with an empty part. The caller frees it, also where the reader fails.

// labelled_table.c: a table of windows.

gw_status gw_labelled_table_read(const char *path, const gw_labelled_options *options,
                                 gw_labelled_source *part) GW_MUST_CHECK;

// labelled_files.c: sets that are no tables. `bed` and `bases` are the file of windows that was found for `prefix`.

void gw_labelled_source_free(gw_labelled_source *part);

// Whether a row of split `found` (NULL: the set has no splits) is wanted.
bool gw_split_wanted(const gw_labelled_options *options, const char *found);
gw_status gw_no_splits(const gw_labelled_options *options, const char *path) GW_MUST_CHECK; // error where required

gw_status gw_labelled_regions_read(const char *prefix, const char *bed, const gw_labelled_options *options,
                                   gw_labelled_source *part) GW_MUST_CHECK;
gw_status gw_labelled_bases_read(const char *prefix, const char *bases, const gw_labelled_options *options,
                                 gw_labelled_source *part) GW_MUST_CHECK;

// The row of contig, begin and end, where the genome has that; the strand is '.'. *last_contig is that of the row
// before (-1: none), which is not looked up again.
gw_status gw_labelled_region_place(const gw_genome *genome, int *last_contig, char *const fields[3],
                                   gw_region_row *out) GW_MUST_CHECK;

// Of the one label "positive" with the value 1 or 0 in all records, or (GW_UNLABELLED) of none.
typedef enum { GW_NEGATIVES, GW_POSITIVES, GW_UNLABELLED } gw_fasta_label;

// Records are named by their header up to the first blank; several may have one name. Those of the wanted split are
// taken where options->tenth has splits. Errors name file and record: one without bases, a letter that stands for no
// nucleotide, one longer than `most` bp (0: any).
gw_status gw_labelled_fasta_read(const char *path, const gw_labelled_options *options, gw_fasta_label label,
                                 int64_t most, gw_labelled_source *part) GW_MUST_CHECK;

// The files that stand beside the windows of a set, for those that write it.

// "<prefix><ending>" for each of count endings, each freed with free(), also on failure.
gw_status gw_label_paths(const char *prefix, const char *const *endings, int count, char **paths) GW_MUST_CHECK;
// PREFIX.names.tsv: of each label counts[labels][GW_SPLITS], how many there are in the windows of each split.
gw_status gw_label_names_write(const char *path, char *const *names, int64_t labels,
                               const int64_t *counts) GW_MUST_CHECK;
// PREFIX.json. Frees the object, which is NULL where there was no memory for it.
gw_status gw_label_settings_write(const char *path, json_t *settings) GW_MUST_CHECK;

#endif
