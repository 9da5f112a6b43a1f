// SPDX-License-Identifier: MIT
// Contigs and their lengths, by which a genome is known again, mostly whatever its contigs are called (I, chrI,
// NC_001133.9).
//
// File: UCSC's chrom.sizes, a line "name<TAB>length in bp" a contig; further columns are not looked at, so that a .fai
// is one too. Names may come again with other lengths: the contigs may be of several genomes.
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

// Appends the contigs of a genome, or of other sizes, but those that are there with the same name and length.
gw_status gw_contig_sizes_add(gw_contig_sizes *sizes, const gw_genome *genome) GW_MUST_CHECK;
gw_status gw_contig_sizes_join(gw_contig_sizes *sizes, const gw_contig_sizes *others) GW_MUST_CHECK;
// Appends those of a file.
gw_status gw_contig_sizes_read(gw_contig_sizes *sizes, const char *path) GW_MUST_CHECK;
gw_status gw_contig_sizes_write(const gw_contig_sizes *sizes, const char *path) GW_MUST_CHECK;
void gw_contig_sizes_free(gw_contig_sizes *sizes);
// The share of a genome's bases that lie on contigs of lengths that are listed, to a thousandth. Where more than ten
// listed contigs are about as long (to a tenth) the name has to agree too, as chr1 and 1 do.
gw_status gw_contig_sizes_share(const gw_contig_sizes *sizes, const gw_genome *genome, double *share) GW_MUST_CHECK;

#endif
