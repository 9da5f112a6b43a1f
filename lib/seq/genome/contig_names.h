// SPDX-License-Identifier: MIT
// Meanings of a name that no contig of a genome has.
#ifndef GW_SEQ_GENOME_CONTIG_NAMES_H
#define GW_SEQ_GENOME_CONTIG_NAMES_H

#include "base/status.h"
#include "seq/genome/genome.h"

// RefSeq's accessions of human chromosomes, NC_000001.11 and so on, by which HGVS names them.
typedef struct {
    const char *chromosome; // "1" to "22", "X", "Y", "MT"
    const char *assembly;   // "GRCh37", "GRCh38"; of MT the human reference
    int64_t length;         // bp
} gw_human_chromosome;

// False where the name is no such accession.
bool gw_human_accession(const char *name, gw_human_chromosome *out);
// The genome's contig by its name (gw_genome_find()) or by such an accession, whose length it must have then: another
// assembly is an error that says so. A name that is neither is one that names the genome's.
gw_status gw_genome_find_accession(const gw_genome *genome, const char *name, int *contig) GW_MUST_CHECK;

// The contig that somebody may have meant by a name that the genome does not have; for messages alone. The one with the
// fewest letters to change, add or drop between the names, without "chr" and the like and in any case; a number also
// stands for its Roman numeral (chr4, IV). The first of several; -1 where more than half of the letters would change.
int gw_nearest_contig(const gw_genome *genome, const char *name);
void gw_roman_numeral(int64_t number, char text[16]); // of 1 to 49
// The error that the genome has no contig of this name, with names that it has and the nearest one.
gw_status gw_unknown_contig(const gw_genome *genome, const char *name) GW_MUST_CHECK;

#endif
