// SPDX-License-Identifier: MIT
// Changes in HGVS notation, converted to REF and ALT of a VCF.
//
// DNA changes (https://hgvs-nomenclature.org, DNA recommendations):
//   100G>A   100del   100_102del   100_102delACG   100_101insTT   100dup   100_102dup   100_102delinsTT   100_102inv
// Bases may follow del and dup, and may precede ins, as in older versions. Positions are
//   100             base 100 of a genome (g., m.), of a transcript (n.), or of a coding sequence (c.)
//   100+3, 101-2    n. and c.: the third base behind the exon that ends at 100, the second before the one at 101
//   -12, *5         c.: base 12 before the coding sequence, the fifth base behind it
// Protein changes: one residue replaced by another, by any codon for the new residue:
//   Ser531Leu   S531L   Ser531Ter   Ser531*   Ser531= (another codon of the residue)   (Ser531Leu)
#ifndef GW_SEQ_VCF_HGVS_H
#define GW_SEQ_VCF_HGVS_H

#include "base/status.h"
#include "seq/genes/gene_models.h"
#include "seq/vcf/variant.h"

// Finds the contig of a name or an accession. For a genome with one contig the name may be missing.
gw_status gw_hgvs_contig(const gw_genome *genome, const char *name, int *contig) GW_MUST_CHECK;

// Converts a change of a genome's contig. kind: the letter before the '.', g or m. Insertions and deletions are moved
// left as far as possible and get the base before them, or, at the contig's start, the base behind. Named bases must
// agree with the genome.
gw_status gw_hgvs_of_genome(const char *contig, char kind, const char *text, gw_genome *genome,
                            gw_written_alleles *out) GW_MUST_CHECK;

// Converts a change of a transcript, or of its protein. kind: c, n or p. `name` is a transcript of the annotation or
// its protein, with or without version (NM_007294.4, ENST00000357654, NP_009225.1), optionally followed by a gene in
// parentheses; or a gene by any of its names (gw_gene_is_called()), which means its canonical transcript. A version
// different from the annotation's is an error, and so is a name at several positions. Offsets must start at the ends of
// exons and stay within their introns. If the annotation has no UTR, c.-20 and c.*5 continue along the genome.
//
// Appends one change; for a protein, every codon change that gives the new residue, those with the fewest bases first.
// The codon must encode the residue that is named first. Genetic codes: NCBI's 1, and 11 with its start codons.
gw_status gw_hgvs_of_transcript(const char *name, char kind, const char *text, gw_genome *genome,
                                const gw_gene_models *transcripts, gw_written_list *out) GW_MUST_CHECK;

#endif
