// SPDX-License-Identifier: MIT
// Which bases of a genome carry which class, as intervals: made of genes, or read from BED.
#ifndef GW_LABEL_BASE_CLASSES_H
#define GW_LABEL_BASE_CLASSES_H

#include "base/status.h"
#include "label/labelled_set.h"
#include "seq/genes/gene_models.h"
#include "seq/genome/genome.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_OVERLAPPING_CLASSES = 15 }; // most of them if they overlap; else GW_BASE_CLASSES

typedef struct {
    int contig;
    char strand;        // '+', '-', or '.': on both
    int class;          // index of its name
    int64_t begin, end; // 0-based half-open, bp
} gw_base_interval;

// Zero-initialise. Free it with gw_base_intervals_free(), also on failure.
typedef struct {
    char **names; // [classes] where intervals overlap, a base is of the last of their classes
    int classes, name_capacity;
    gw_base_interval *items;
    int64_t count, capacity;
} gw_base_intervals;

// What genes can say of their bases, on the gene's strand, of one transcript each:
//   exon, intron      its exons, and what lies between two of them
//   acceptor, donor   the first base of an exon but the first, the last base of an exon but the last, in the direction
//                     of transcription
//   CDS, start, stop  coding sequence, its first and its last three bases
// Exons that lie less than 4 bases apart, as where a frame is shifted, have no intron between them.
#define GW_GENE_CLASSES "exon, intron, CDS, start, stop, acceptor and donor"

// `classes` are names of those above, joined by commas, in any case. Genes that are asked for CDS and have none are an
// error where no gene has any.
gw_status gw_base_intervals_of_genes(gw_base_intervals *intervals, const gw_gene_models *genes,
                                     const char *classes) GW_MUST_CHECK;
// Adds the intervals of a BED file: the class is column 4, the strand column 6 (both, where there is none). `classes`
// gives their order, and others are left out; NULL: all, as they are met.
gw_status gw_base_intervals_read(gw_base_intervals *intervals, gw_genome *genome, const char *path,
                                 const char *classes) GW_MUST_CHECK;
void gw_base_intervals_free(gw_base_intervals *intervals);

// The classes of the bases of a genome, as a set of labelled bases (label/base_set_writer.h) has them.
#define GW_BASE_SET_INTERVALS ".classes.bed.gz"

typedef struct gw_base_classes gw_base_classes;
// Of sets that are read as one; `set` is these, and its labels name the classes. Intervals of a class and strand that
// overlap, a class that is none of the set's labels, and what no interval of the genome is are errors that name the
// line.
gw_status gw_base_classes_open(const char *const *paths, int count, const gw_labelled_set *set, gw_genome *genome,
                               gw_base_classes **out) GW_MUST_CHECK;
void gw_base_classes_close(gw_base_classes *classes); // NULL is fine

// Whether intervals of several classes share bases: a base has any number of classes then.
bool gw_base_classes_overlap(const gw_base_classes *classes);

// class[end - begin] of the bases from `begin` on, in the contig's direction: 0 none, else the number of the label plus
// 1; where classes overlap a bit for each of these numbers, the lowest where there is no label. strand: '-', or any
// other for +.
void gw_base_classes_fill(const gw_base_classes *classes, int contig, int64_t begin, int64_t end, char strand,
                          int32_t *class);

// Whether what that says of a base has a class in it; 0: none.
static inline bool gw_base_has_class(bool overlap, int32_t filled, int64_t class) {
    return overlap ? filled >> class & 1 : filled == class;
}

#endif
