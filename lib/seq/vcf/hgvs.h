// SPDX-License-Identifier: MIT
// Changes that HGVS says, as REF and ALT of a VCF.
//
// Of https://hgvs-nomenclature.org, DNA recommendations:
//   100G>A   100del   100_102del   100_102delACG   100_101insTT   100dup   100_102dup   100_102delinsTT   100_102inv
// Bases may be named behind del and dup and before ins, as older versions have it. A place is
//   100             base 100 of a genome (g., m.), of a transcript (n.), or of a coding sequence (c.)
//   100+3, 101-2    of n. and c.: the third base behind the exon that ends at 100, the second before the one at 101
//   -12, *5         of c.: the base 12 before the coding sequence, the fifth behind it
// and of a protein a residue in place of another is read, which every codon of the new residue makes:
//   Ser531Leu   S531L   Ser531Ter   Ser531*   Ser531= (another codon of the residue)   (Ser531Leu)
#ifndef GW_SEQ_VCF_HGVS_H
#define GW_SEQ_VCF_HGVS_H

#include "base/status.h"
#include "seq/genes/gene_models.h"
#include "seq/vcf/variant.h"

// The contig of a name or an accession; a genome of one contig needs no name of it.
gw_status gw_hgvs_contig(const gw_genome *genome, const char *name, int *contig) GW_MUST_CHECK;

// A change of a genome's contig; kind: the letter before the '.', g or m. Insertions and deletions are moved to the
// left as far as they go and get the base before them, or behind where there is none. Bases that are named must be the
// genome's.
gw_status gw_hgvs_of_genome(const char *contig, char kind, const char *text, gw_genome *genome,
                            gw_written_alleles *out) GW_MUST_CHECK;

// A change of a transcript, or of its protein; kind: c, n or p. What `name` is of the annotation: a transcript or its
// protein with or without its version (NM_007294.4, ENST00000357654, NP_009225.1), behind which a gene may stand in
// parentheses, or a gene by any of its names (gw_gene_is_called()), whose canonical transcript is meant. A version
// other than the annotation's is an error, and so is a name of several places. Offsets must stand at the ends of exons,
// and within their introns. Where the annotation has no UTR, c.-20 and c.*5 count on along the genome.
//
// Appended is one change, or of a protein every change of a codon that makes of a residue another one, those of fewest
// bases first. The codon must make the residue that is named first. Genetic codes: NCBI's 1, and 11 with its starts.
gw_status gw_hgvs_of_transcript(const char *name, char kind, const char *text, gw_genome *genome,
                                const gw_gene_models *transcripts, gw_written_list *out) GW_MUST_CHECK;

#endif
