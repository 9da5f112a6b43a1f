// SPDX-License-Identifier: MIT
// Interpretation of names that no contig of a genome has.
#ifndef GW_SEQ_GENOME_CONTIG_NAMES_H
#define GW_SEQ_GENOME_CONTIG_NAMES_H

#include "base/status.h"
#include "seq/genome/genome.h"

// RefSeq's accessions of human chromosomes, such as NC_000001.11, which HGVS uses.
typedef struct {
    const char *chromosome; // "1" to "22", "X", "Y", "MT"
    const char *assembly;   // "GRCh37", "GRCh38"; for MT the human reference
    int64_t length;         // bp
} gw_human_chromosome;

// False if the name is no such accession.
bool gw_human_accession(const char *name, gw_human_chromosome *out);
// Finds the genome's contig by its name (gw_genome_find()) or by such an accession. The length must then match: another
// assembly is an error that says so. An unknown name is an error that lists names of the genome.
gw_status gw_genome_find_accession(const gw_genome *genome, const char *name, int *contig) GW_MUST_CHECK;

// The contig that a user may have meant by an unknown name; only for messages. It is the contig with the smallest edit
// distance, without prefixes such as "chr" and in any case. A number also stands for its Roman numeral (chr4, IV). The
// first of several; -1 if more than half of the letters would change.
int gw_nearest_contig(const gw_genome *genome, const char *name);
void gw_roman_numeral(int64_t number, char text[16]); // of 1 to 49
// Fails because the genome has no contig of this name. The message lists names and suggests the nearest one.
gw_status gw_unknown_contig(const gw_genome *genome, const char *name) GW_MUST_CHECK;

#endif
