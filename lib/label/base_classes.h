// SPDX-License-Identifier: MIT
// Classes of a genome's bases, as intervals: made from genes, or read from BED.
#ifndef GW_LABEL_BASE_CLASSES_H
#define GW_LABEL_BASE_CLASSES_H

#include "base/status.h"
#include "label/labelled_set.h"
#include "seq/genes/gene_models.h"
#include "seq/genome/genome.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_OVERLAPPING_CLASSES = 15 }; // most classes if they overlap; otherwise GW_BASE_CLASSES

typedef struct {
    int contig;
    char strand;        // '+', '-', or '.': both
    int class;          // index of the class's name
    int64_t begin, end; // 0-based half-open, bp
} gw_base_interval;

// Zero-initialise. Free with gw_base_intervals_free(), also after a failure.
typedef struct {
    char **names; // [classes] if intervals overlap, a base belongs to the last of their classes
    int classes, name_capacity;
    gw_base_interval *items;
    int64_t count, capacity;
} gw_base_intervals;

// Classes of bases from genes, on the gene's strand, with one transcript each:
//   exon, intron      the exons, and the bases between two exons
//   acceptor, donor   the first base of each exon except the first, the last base of each exon except the last, in the
//                     direction of transcription
//   CDS, start, stop  coding sequence, its first and its last three bases
// Exons less than 4 bases apart, as at frame shifts, have no intron between them.
#define GW_GENE_CLASSES "exon, intron, CDS, start, stop, acceptor and donor"

// `classes` are names from the list above, joined by commas, in any case. If CDS is requested and no gene has any, this
// is an error.
gw_status gw_base_intervals_of_genes(gw_base_intervals *intervals, const gw_gene_models *genes,
                                     const char *classes) GW_MUST_CHECK;
// Adds the intervals of a BED file. The class is column 4, the strand column 6 (both without a strand). `classes` gives
// their order; other classes are skipped. NULL: all, in the order of their appearance.
gw_status gw_base_intervals_read(gw_base_intervals *intervals, gw_genome *genome, const char *path,
                                 const char *classes) GW_MUST_CHECK;
void gw_base_intervals_free(gw_base_intervals *intervals);

// The classes of a genome's bases in a set of labelled bases (label/base_set_writer.h).
#define GW_BASE_SET_INTERVALS ".classes.bed.gz"

typedef struct gw_base_classes gw_base_classes;
// Opens sets that are read as one. `set` is these sets; its labels name the classes. Overlapping intervals of a class
// and strand, a class that is not among the labels, and invalid intervals are errors that name the line.
gw_status gw_base_classes_open(const char *const *paths, int count, const gw_labelled_set *set, gw_genome *genome,
                               gw_base_classes **out) GW_MUST_CHECK;
void gw_base_classes_close(gw_base_classes *classes); // NULL is fine

// Whether intervals of several classes share bases. A base may then have several classes.
bool gw_base_classes_overlap(const gw_base_classes *classes);

// Fills class[end - begin] for the bases from `begin` on, in the contig's direction: 0 for none, else the label's
// number plus 1. If classes overlap: a bit for each of these numbers; the lowest bit if there is no label. strand: '-',
// or any other for +.
void gw_base_classes_fill(const gw_base_classes *classes, int contig, int64_t begin, int64_t end, char strand,
                          int32_t *class);

// Whether a filled value contains a class; class 0: none.
static inline bool gw_base_has_class(bool overlap, int32_t filled, int64_t class) {
    return overlap ? filled >> class & 1 : filled == class;
}

#endif
