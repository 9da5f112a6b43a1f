// SPDX-License-Identifier: MIT
// The files behind a labelled set. Readers fill a source; gw_labelled_set returns its rows. Private to lib/label.
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
    int64_t label_row;  // row in bits
    int32_t contig;
    char strand;
} gw_region_row;

typedef struct {
    int64_t count, labels;
    char **label_names; // [labels]
    int64_t bin;        // 0: unknown
    int64_t tss_offset; // -1: none or mixed
    char **groups;      // [count] texts of the grouping column, or NULL
    char **names;       // [count] names of records, or of regions ("." if one has none), or NULL
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
    // Both:
    gw_row_file *bits; // NULL: unlabelled
} gw_labelled_source;

// Each reader below takes an empty source. The caller frees it, also after a failure.

// labelled_table.c: a table of windows.

gw_status gw_labelled_table_read(const char *path, const gw_labelled_options *options,
                                 gw_labelled_source *part) GW_MUST_CHECK;

// labelled_files.c: sets that are no tables. `bed` and `bases`: the file of windows found for `prefix`.

void gw_labelled_source_free(gw_labelled_source *part);

// Whether rows of split `found` are wanted (NULL: the set has no splits).
bool gw_split_wanted(const gw_labelled_options *options, const char *found);
gw_status gw_no_splits(const gw_labelled_options *options, const char *path) GW_MUST_CHECK; // error if splits are
                                                                                            // required

gw_status gw_labelled_regions_read(const char *prefix, const char *bed, const gw_labelled_options *options,
                                   gw_labelled_source *part) GW_MUST_CHECK;
gw_status gw_labelled_bases_read(const char *prefix, const char *bases, const gw_labelled_options *options,
                                 gw_labelled_source *part) GW_MUST_CHECK;

// Makes a row from contig, begin and end if the genome has the contig; the strand is '.'. *last_contig is the contig of
// the previous row (-1: none), to avoid looking it up again.
gw_status gw_labelled_region_place(const gw_genome *genome, int *last_contig, char *const fields[3],
                                   gw_region_row *out) GW_MUST_CHECK;

// Records with one label, "positive", of value 1 or 0 for all; or (GW_UNLABELLED) without labels.
typedef enum { GW_NEGATIVES, GW_POSITIVES, GW_UNLABELLED } gw_fasta_label;

// Records are named by their header up to the first blank; names may repeat. With options->tenth only records of the
// wanted split are taken. Errors name file and record: no bases, a letter that is no nucleotide, more than `most` bp
// (0: no limit).
gw_status gw_labelled_fasta_read(const char *path, const gw_labelled_options *options, gw_fasta_label label,
                                 int64_t most, gw_labelled_source *part) GW_MUST_CHECK;

// Files beside the windows of a set, for writers of sets.

// Makes "<prefix><ending>" for each of count endings; free() each, also after a failure.
gw_status gw_label_paths(const char *prefix, const char *const *endings, int count, char **paths) GW_MUST_CHECK;
// Writes PREFIX.names.tsv: for each label counts[labels][GW_SPLITS], the number of windows with it in each split.
gw_status gw_label_names_write(const char *path, char *const *names, int64_t labels,
                               const int64_t *counts) GW_MUST_CHECK;
// Writes PREFIX.json. Frees `settings`; NULL means out of memory.
gw_status gw_label_settings_write(const char *path, json_t *settings) GW_MUST_CHECK;

#endif
