// SPDX-License-Identifier: MIT
// The first bases of features, as BED6: what `promoters` and `score --sites` read.
#ifndef GW_SEQ_GENES_GFF_TSS_H
#define GW_SEQ_GENES_GFF_TSS_H

#include "seq/genes/gff.h"
#include "seq/genome/genome.h"

typedef struct {
    gw_genome *genome; // whose names are written, and on which every start must lie; NULL: names as they are
    bool unique;       // one row for each place and strand, the first one's
    const char *path;  // NULL or "-": standard output
} gw_tss_options;

typedef struct {
    int64_t written, no_strand, no_contig, off_contig, repeated;
    const char *unknown; // a contig that the genome lacks, borrowed from the features; NULL: none
} gw_tss_counts;

// Rows contig, start, start + 1, name (or '.'), 0, strand in the order of the features. The start is a feature's first
// base on +, its last on -. Features without a strand have none, and are counted; so are those off the genome.
gw_status gw_tss_write(const gw_features *features, const gw_tss_options *options, gw_tss_counts *counts) GW_MUST_CHECK;

#endif
