// SPDX-License-Identifier: MIT
// A labelled set: windows of bases with one or many labels each, by random access.
//
// Three kinds, distinguished by name, and a fourth where it is asked for. A table (TSV or CSV, plain or compressed) has
// a header with a column `sequence`; its columns name, id, region, strand, split, kind, tss_offset and one without a
// name describe, all others are labels. A set of regions is PREFIX.bed.gz (or .bed) with PREFIX.labels and
// PREFIX.names.tsv, and needs the genome. Where measured numbers are asked for, every set is a table, whose label
// columns hold any finite numbers; in the place of `sequence` it may name regions of the genome: columns chrom, start,
// end (0-based, half-open) and strand, or those of BED where the first line is no header. Formats:
// docs/reference/formats.md.
// FASTA has no labels of its own: two groups of files make a set. Several sets with the same labels are read as one, in
// the order given.
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

// Which rows of a set are read.
typedef struct {
    gw_genome *genome;   // borrowed; NULL: sets of regions are refused
    const char *split;   // "train", "valid" or "test": rows of that split; NULL or "all": every row
    bool split_required; // a set without splits is refused, instead of giving every row
    // FASTA files without the label: those that are opened are FASTA too, with it. negative_count 0: as their names
    // say.
    const char *const *negatives;
    int negative_count;
    // Tables of measured numbers: labels are any finite numbers.
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

typedef struct gw_labelled_set gw_labelled_set;
// With negatives among the options the files are FASTA: their records have the one label "positive".
gw_status gw_labelled_set_open(const char *const *paths, int count, const gw_labelled_options *options,
                               gw_labelled_set **out) GW_MUST_CHECK;
// The records of a FASTA file, unlabelled and named. One longer than `most` bp is an error.
gw_status gw_labelled_set_of_fasta(const char *path, int64_t most, gw_labelled_set **out) GW_MUST_CHECK;
// Unlabelled windows of a genome, of `width` bp each or (width 0) as wide as their regions. A region of another width
// than `width` stands for its middle: the window starts floor(width / 2) before floor((begin + end) / 2); with
// tss_offset >= 0 it stands for its TSS, which lies at that offset of the window on the region's strand. On the -
// strand the window is reverse complemented. Windows that leave their contig are left out and counted in *left_out.
gw_status gw_labelled_set_of_regions(gw_genome *genome, const gw_regions *regions, int64_t width, int64_t tss_offset,
                                     int64_t *left_out, gw_labelled_set **out) GW_MUST_CHECK;
void gw_labelled_set_close(gw_labelled_set *set);

int64_t gw_labelled_set_count(const gw_labelled_set *set);
int64_t gw_labelled_set_labels(const gw_labelled_set *set);
const char *gw_labelled_set_label_name(const gw_labelled_set *set, int64_t label);
int64_t gw_labelled_set_shortest(const gw_labelled_set *set); // bp
int64_t gw_labelled_set_longest(const gw_labelled_set *set);
int64_t gw_labelled_set_bin(const gw_labelled_set *set);        // bp; 0: unknown
int64_t gw_labelled_set_tss_offset(const gw_labelled_set *set); // bp; -1: none, or not the same in every row

// Bases of example i, upper case, anything but A, C, G, T as N. *bases belongs to the set until the next call.
gw_status gw_labelled_set_bases(gw_labelled_set *set, int64_t i, const char **bases, int64_t *length) GW_MUST_CHECK;
// The same of a window `shift` bp further on (negative: back), of the same length: of a region what stands there on its
// contig, or as near as the contig goes; of a set that has the window's bases alone N takes the place of those beyond.
gw_status gw_labelled_set_shifted_bases(gw_labelled_set *set, int64_t i, int64_t shift, const char **bases,
                                        int64_t *length) GW_MUST_CHECK;
// values[labels]: 0 to 1, or numbers; NaN where missing.
void gw_labelled_set_values(const gw_labelled_set *set, int64_t i, float *values);
// The same packed, a bit a label (row_file.h), where the set keeps them so; else NULL.
const uint8_t *gw_labelled_set_bits(const gw_labelled_set *set, int64_t i);
// The values [count][labels] of all examples, freed with free(); NULL with a message.
float *gw_labelled_set_all_values(const gw_labelled_set *set);
// Appends what names the example in a table: "contig:begin-end" (1-based inclusive), where the regions have names also
// name and strand, each after a tab; of FASTA the record's name; or the row of its file (1-based, the header not
// counted).
void gw_labelled_set_describe(const gw_labelled_set *set, int64_t i, gw_string *text);
// The same as cells of a table, and their columns: the title's, then name and strand where there are some.
void gw_labelled_set_columns(const gw_labelled_set *set, gw_columns *columns);
void gw_labelled_set_cells(const gw_labelled_set *set, int64_t i, gw_table_writer *out);
// The text of the column that groups rows; NULL: none was asked for.
const char *gw_labelled_set_group(const gw_labelled_set *set, int64_t i);
// The place of the example: contig, begin, end and strand of a set of regions; name NULL.
gw_region gw_labelled_set_region(const gw_labelled_set *set, int64_t i);
bool gw_labelled_set_has_regions(const gw_labelled_set *set);  // examples are described by regions
bool gw_labelled_set_has_names(const gw_labelled_set *set);    // with name and strand
const char *gw_labelled_set_title(const gw_labelled_set *set); // of the column: region, name or row

// What the labels that a file holds are called: its name without folders, without .gz, and without the ending before
// that ("a/b/CTCF.narrowPeak.gz": CTCF). Freed with free(); NULL with a message.
char *gw_label_of_file(const char *path);

// Leaves out the examples whose sequence also occurs in `other`, on the same strand.
gw_status gw_labelled_set_drop_shared(gw_labelled_set *set, gw_labelled_set *other, int64_t *dropped) GW_MUST_CHECK;

// Rows of a set that share sequence with rows of other sets: figures on them say nothing about new sequence.
enum { GW_SHARED_KMER = 31 };

// The kind of a set's rows.
typedef struct {
    gw_kmer_set kmers;
    gw_seen_windows whole;
} gw_seen_rows;
// Free it, also after failure. 1 <= k <= 31.
gw_status gw_seen_rows_make(gw_labelled_set *set, int k, gw_seen_rows *out) GW_MUST_CHECK;
void gw_seen_rows_free(gw_seen_rows *seen);

typedef struct {
    int64_t rows, sharing, identical; // identical: as a whole, which counts as sharing however short it is
    bool *shares;                     // [rows]
} gw_shared_rows;
// A row shares where one of its k-mers, or all of it, is one of those seen, on either strand. Free it with
// gw_shared_rows_free(), also after failure.
gw_status gw_shared_rows_find(gw_labelled_set *set, const gw_seen_rows *seen, gw_shared_rows *out) GW_MUST_CHECK;
void gw_shared_rows_free(gw_shared_rows *shared);
// Appends what names the first `most` rows that share, between commas (gw_labelled_set_describe()).
void gw_shared_rows_name(const gw_labelled_set *set, const gw_shared_rows *shared, int most, gw_string *text);

#endif
