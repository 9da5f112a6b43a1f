// SPDX-License-Identifier: MIT
// Which bases of a genome carry which class, as intervals: made of genes, or read from BED.
#ifndef GW_LABEL_BASE_INTERVALS_H
#define GW_LABEL_BASE_INTERVALS_H

#include "base/status.h"
#include "seq/genes/gene_models.h"
#include "seq/genome/genome.h"

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

#endif
