// SPDX-License-Identifier: MIT
// Contigs and their lengths, to recognise a genome, mostly independent of the contigs' names (I, chrI, NC_001133.9).
//
// File: UCSC's chrom.sizes, a line "name<TAB>length in bp" for each contig. Further columns are ignored, so a .fai is
// valid too. Names may repeat with other lengths, because the contigs may be from several genomes.
#ifndef GW_SEQ_GENOME_CONTIG_SIZES_H
#define GW_SEQ_GENOME_CONTIG_SIZES_H

#include "seq/genome/genome.h"

typedef struct {
    char *name;
    int64_t length; // bp
} gw_contig_size;

// Zero-initialise; free with gw_contig_sizes_free().
typedef struct {
    gw_contig_size *items;
    int64_t count, capacity;
} gw_contig_sizes;

// Append the contigs of a genome, or of other sizes, except those present with the same name and length.
gw_status gw_contig_sizes_add(gw_contig_sizes *sizes, const gw_genome *genome) GW_MUST_CHECK;
gw_status gw_contig_sizes_join(gw_contig_sizes *sizes, const gw_contig_sizes *others) GW_MUST_CHECK;
// Appends those of a file.
gw_status gw_contig_sizes_read(gw_contig_sizes *sizes, const char *path) GW_MUST_CHECK;
gw_status gw_contig_sizes_write(const gw_contig_sizes *sizes, const char *path) GW_MUST_CHECK;
void gw_contig_sizes_free(gw_contig_sizes *sizes);
// The share of a genome's bases on contigs with a listed length, to a thousandth. If more than ten listed contigs have
// a similar length (to a tenth), the name must match too, like chr1 and 1.
gw_status gw_contig_sizes_share(const gw_contig_sizes *sizes, const gw_genome *genome, double *share) GW_MUST_CHECK;

#endif
