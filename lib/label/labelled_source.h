// SPDX-License-Identifier: MIT
// One file set behind a labelled set: what its readers fill and gw_labelled_set serves. Private to lib/label.
#ifndef GW_LABEL_LABELLED_SOURCE_H
#define GW_LABEL_LABELLED_SOURCE_H

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

void gw_labelled_source_free(gw_labelled_source *part);

// labelled_bases.c: a set of packed windows (labelled_set.h) as a part. Private to lib/label.

// `bases` is the file of windows that was found for `prefix`.
gw_status gw_labelled_bases_read(const char *prefix, const char *bases, const gw_labelled_options *options,
                                 gw_labelled_source *part) GW_MUST_CHECK;

// labelled_fasta.c: the records of a FASTA file as a part (labelled_set.h). Private to lib/label.

// Of the one label "positive" with the value 1 or 0 in all records, or (GW_UNLABELLED) of none.
typedef enum { GW_NEGATIVES, GW_POSITIVES, GW_UNLABELLED } gw_fasta_label;

// Records are named by their header up to the first blank; several may have one name. Those of the wanted split are
// taken where options->tenth has splits. Errors name file and record: one without bases, a letter that stands for no
// nucleotide, one longer than `most` bp (0: any).
gw_status gw_labelled_fasta_read(const char *path, const gw_labelled_options *options, gw_fasta_label label,
                                 int64_t most, gw_labelled_source *part) GW_MUST_CHECK;

// labelled_table.c: a table of windows (labelled_set.h) as a part. Private to lib/label.

gw_status gw_labelled_table_read(const char *path, const gw_labelled_options *options,
                                 gw_labelled_source *part) GW_MUST_CHECK;

// labelled_columns.c: what the columns of a labelled table are. Private to lib/label.

typedef enum {
    GW_COLUMN_IGNORED,
    GW_COLUMN_SEQUENCE,
    GW_COLUMN_SPLIT,
    GW_COLUMN_TSS_OFFSET,
    GW_COLUMN_LABEL,
    GW_COLUMN_CONTIG, // of a region, and the two after it
    GW_COLUMN_BEGIN,
    GW_COLUMN_END,
    GW_COLUMN_STRAND // of a region
} gw_column_kind;

typedef struct {
    gw_column_kind kind;
    int64_t label; // its number
    bool groups;   // its texts group rows
} gw_labelled_column;

// Tells a first line that is a row: of numbers a region or a sequence with finite numbers behind it, else a sequence
// with numbers from 0 to 1, as GENA-LM writes DeepSEA's set.
bool (*gw_labelled_is_row(const gw_labelled_options *options))(char *const *fields, int64_t count);

// All columns of an open table, in their order; the part gets the names of its labels.
gw_status gw_labelled_columns_read(gw_table *table, const gw_labelled_options *options, gw_labelled_column *columns,
                                   gw_labelled_source *part) GW_MUST_CHECK;

// track_labels.c: means of signals over regions as labels. Private to lib/label.

// Gives a part of regions without labels one for each of the options' tracks (seq/track/track.h), called as the file is
// without its ending: the mean over the region's bases that have a value. A region without any is missing where that is
// asked for, else an error.
gw_status gw_track_labels_read(const gw_labelled_options *options, gw_labelled_source *part) GW_MUST_CHECK;

// A set of regions (labelled_set.h) as a part. Private to lib/label.

// `bed` is the region file that was found for `prefix`.
gw_status gw_labelled_regions_read(const char *prefix, const char *bed, const gw_labelled_options *options,
                                   gw_labelled_source *part) GW_MUST_CHECK;

// The row of contig, begin and end, where the genome has that; the strand is '.'. *last_contig is that of the row
// before
// (-1: none), which is not looked up again.
gw_status gw_labelled_region_place(const gw_genome *genome, int *last_contig, char *const fields[3],
                                   gw_region_row *out) GW_MUST_CHECK;

// PREFIX.labels, PREFIX.names.tsv and PREFIX.json, which stand beside the windows of a set. Private to lib/label.

// Fills the part's bits, names of labels and bin; `rows` is how many windows `windows` (for a message) has. On failure
// the part holds what was read until then.
gw_status gw_label_files_read(const char *prefix, int64_t rows, const char *windows,
                              gw_labelled_source *part) GW_MUST_CHECK;

// Writes PREFIX.names.tsv: of each label counts[labels][GW_SPLITS], how many there are in the windows of each split.
gw_status gw_label_names_write(const char *path, char *const *names, int64_t labels,
                               const int64_t *counts) GW_MUST_CHECK;

#endif
