// SPDX-License-Identifier: MIT
// A labelled set: windows of bases with one or several labels each, with random access.
//
// There are four kinds. Names distinguish the first three.
//
// A table (TSV or CSV, plain or compressed) has a header with a column `sequence`. The columns name, id, region,
// strand, split, kind, tss_offset and a column without a name are descriptions; all others are labels.
//
// A set of regions is PREFIX.bed.gz (or .bed) with PREFIX.labels and PREFIX.names.tsv, and needs the genome.
//
// FASTA has no labels: two groups of files make a set.
//
// If measured numbers are requested, every set is a table with any finite numbers as labels. Instead of `sequence` it
// may have regions of the genome: columns chrom, start, end (0-based, half-open) and strand, or those of BED if the
// first line is not a header.
//
// Formats: docs/reference/formats.md. Several sets with the same labels are read as one, in the given order.
#ifndef GW_LABEL_LABELLED_SET_H
#define GW_LABEL_LABELLED_SET_H

#include "base/status.h"
#include "base/string.h"
#include "file/table_writer.h"
#include "label/held_out.h"
#include "seq/genome/genome.h"
#include "seq/genome/kmers.h"
#include "seq/genome/regions.h"

#include <stdbool.h>
#include <stdint.h>

// Selection of a set's rows.
typedef struct {
    gw_genome *genome;   // borrowed; NULL: sets of regions are errors
    const char *split;   // "train", "valid" or "test": rows of that split; NULL or "all": every row
    bool split_required; // a set without splits is an error, instead of giving every row
    // FASTA files without the label; the opened files are then FASTA with the label. negative_count 0: their names give
    // the kind.
    const char *const *negatives;
    int negative_count;
    // Tables of measured numbers: labels are any finite numbers.
    bool numbers;
    bool unlabelled;           // no column of a table is a label: only sequences are read
    bool missing;              // numbers may be missing: NA, nan or an empty field
    const char *const *labels; // columns of numbers, in this order; label_count 0: all that are no descriptions
    int label_count;
    const char *const *tracks; // signals; the numbers are their means over regions, instead of columns
    int track_count;
    const char *group; // text column that groups rows; NULL: none
    bool tenth; // FASTA: a tenth of the sequences, drawn by their letters, is the split "valid", the others "train"
} gw_labelled_options;

typedef struct gw_labelled_set gw_labelled_set;
// With negatives in the options the files are FASTA, and the only label is "positive".
gw_status gw_labelled_set_open(const char *const *paths, int count, const gw_labelled_options *options,
                               gw_labelled_set **out) GW_MUST_CHECK;
// The records of a FASTA file, with names and without labels. A record longer than `most` bp is an error.
gw_status gw_labelled_set_of_fasta(const char *path, int64_t most, gw_labelled_set **out) GW_MUST_CHECK;
// Unlabelled windows of a genome, `width` bp long, or (width 0) as long as their regions. A region of another length
// than `width` is placed by its middle: the window starts floor(width / 2) before floor((begin + end) / 2). With
// tss_offset >= 0 it is placed by its TSS, at this offset in the window on the region's strand. On the - strand the
// window is reverse complemented. Windows that leave their contig are skipped and counted in *left_out.
gw_status gw_labelled_set_of_regions(gw_genome *genome, const gw_regions *regions, int64_t width, int64_t tss_offset,
                                     int64_t *left_out, gw_labelled_set **out) GW_MUST_CHECK;
void gw_labelled_set_close(gw_labelled_set *set);

int64_t gw_labelled_set_count(const gw_labelled_set *set);
int64_t gw_labelled_set_labels(const gw_labelled_set *set);
const char *gw_labelled_set_label_name(const gw_labelled_set *set, int64_t label);
int64_t gw_labelled_set_shortest(const gw_labelled_set *set); // bp
int64_t gw_labelled_set_longest(const gw_labelled_set *set);
int64_t gw_labelled_set_bin(const gw_labelled_set *set);        // bp; 0: unknown
int64_t gw_labelled_set_tss_offset(const gw_labelled_set *set); // bp; -1: none, or not equal in all rows

// Bases of example i in upper case; letters other than A, C, G, T become N. *bases is valid until the next call.
gw_status gw_labelled_set_bases(gw_labelled_set *set, int64_t i, const char **bases, int64_t *length) GW_MUST_CHECK;
// The same for a window of the same length `shift` bp further on (negative: back). For a region: the bases there, as
// near as the contig allows. For a set with only the window's bases: N for bases beyond.
gw_status gw_labelled_set_shifted_bases(gw_labelled_set *set, int64_t i, int64_t shift, const char **bases,
                                        int64_t *length) GW_MUST_CHECK;
// values[labels]: 0 to 1, or numbers; NaN: missing.
void gw_labelled_set_values(const gw_labelled_set *set, int64_t i, float *values);
// The same packed, one bit a label (row_file.h), if the set stores them so; otherwise NULL.
const uint8_t *gw_labelled_set_bits(const gw_labelled_set *set, int64_t i);
// The values [count][labels] of all examples; free() them. NULL with a message.
float *gw_labelled_set_all_values(const gw_labelled_set *set);
// Appends the description of the example in a table: "contig:begin-end" (1-based, inclusive), and, if regions have
// names, name and strand behind tabs; for FASTA the record's name; otherwise the row of its file (1-based, without the
// header).
void gw_labelled_set_describe(const gw_labelled_set *set, int64_t i, gw_string *text);
// The same as cells of a table, and its columns: the title, then name and strand if present.
void gw_labelled_set_columns(const gw_labelled_set *set, gw_columns *columns);
void gw_labelled_set_cells(const gw_labelled_set *set, int64_t i, gw_table_writer *out);
// The text of the column that groups rows; NULL: not requested.
const char *gw_labelled_set_group(const gw_labelled_set *set, int64_t i);
// The region of an example in a set of regions: contig, begin, end and strand; name is NULL.
gw_region gw_labelled_set_region(const gw_labelled_set *set, int64_t i);
bool gw_labelled_set_has_regions(const gw_labelled_set *set);  // regions describe the examples
bool gw_labelled_set_has_names(const gw_labelled_set *set);    // also name and strand
const char *gw_labelled_set_title(const gw_labelled_set *set); // name of the first column: region, name or row

// The name of the label in a file: the file's name without folders, .gz and ending ("a/b/CTCF.narrowPeak.gz": CTCF).
// free() it; NULL with a message.
char *gw_label_of_file(const char *path);

// Removes the examples with a sequence that also occurs in `other`, on the same strand.
gw_status gw_labelled_set_drop_shared(gw_labelled_set *set, gw_labelled_set *other, int64_t *dropped) GW_MUST_CHECK;

// Rows of a set that share sequence with rows of other sets. Metrics on such rows do not hold for new sequence.
enum { GW_SHARED_KMER = 31 };

// The sequences of a set's rows.
typedef struct {
    gw_kmer_set kmers;
    gw_seen_windows whole;
} gw_seen_rows;
// Free `out`, also after a failure. 1 <= k <= 31.
gw_status gw_seen_rows_make(gw_labelled_set *set, int k, gw_seen_rows *out) GW_MUST_CHECK;
void gw_seen_rows_free(gw_seen_rows *seen);

typedef struct {
    int64_t rows, sharing, identical; // identical: whole rows, which also count as sharing, even if short
    bool *shares;                     // [rows]
} gw_shared_rows;
// A row shares if one of its k-mers, or the whole row, is in `seen`, on either strand. Free `out` with
// gw_shared_rows_free(), also after a failure.
gw_status gw_shared_rows_find(gw_labelled_set *set, const gw_seen_rows *seen, gw_shared_rows *out) GW_MUST_CHECK;
void gw_shared_rows_free(gw_shared_rows *shared);
// Appends the descriptions of the first `most` sharing rows, between commas (gw_labelled_set_describe()).
void gw_shared_rows_name(const gw_labelled_set *set, const gw_shared_rows *shared, int most, gw_string *text);

#endif
