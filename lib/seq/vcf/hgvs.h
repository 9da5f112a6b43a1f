// SPDX-License-Identifier: MIT
// A change that HGVS says, as REF and ALT of a VCF.
#ifndef GW_SEQ_VCF_HGVS_H
#define GW_SEQ_VCF_HGVS_H

#include "base/status.h"
#include "seq/genes/gene_models.h"
#include "seq/vcf/variant.h"

#include <stdbool.h>
#include <stdint.h>

// hgvs.c: what HGVS says of a change behind "g.", "c." and the like: which bases, and what becomes of them. Nothing is
// looked up here.
//
// Of https://hgvs-nomenclature.org, DNA recommendations:
//   100G>A   100del   100_102del   100_102delACG   100_101insTT   100dup   100_102dup   100_102delinsTT   100_102inv
// Bases may be named behind del and dup and before ins, as older versions have it. A place is
//   100             base 100 of a genome (g., m.), of a transcript (n.), or of a coding sequence (c.)
//   100+3, 101-2    of n. and c.: the third base behind the exon that ends at 100, the second before the one at 101
//   -12, *5         of c.: the base 12 before the coding sequence, the fifth behind it

typedef enum { GW_HGVS_REPLACE, GW_HGVS_INSERT, GW_HGVS_DUPLICATE, GW_HGVS_INVERT } gw_hgvs_change;

typedef struct {
    int64_t base;    // from 1; of c. negative before the coding sequence
    int64_t offset;  // into an intron
    bool after_stop; // base counts behind the coding sequence
} gw_hgvs_place;

// Texts are parts of what was parsed, and not followed by a zero byte.
typedef struct {
    gw_hgvs_change change;
    gw_hgvs_place from, to; // what was said
    int64_t first, last;    // of the genome, 1-based, both included; of an insertion the bases on either side
    bool reverse;           // texts are of the genome's reverse strand
    const char *named;      // bases that are said to stand there
    int64_t named_length;   // 0: not said
    const char *inserted;   // what replaces them, or comes between them
    int64_t inserted_length;
} gw_hgvs;

// kind: the letter before the '.', one of g, m, c and n.
gw_status gw_hgvs_parse(char kind, const char *text, gw_hgvs *out) GW_MUST_CHECK;
// Says where on the genome the places are, the first of which may not stand behind the last.
gw_status gw_hgvs_settle(gw_hgvs *hgvs, int64_t first, int64_t last) GW_MUST_CHECK;

// hgvs_transcript.c: places of a transcript on the genome.

// What `name` is of an annotation: a transcript or its protein with or without its version (NM_007294.4,
// ENST00000357654, NP_009225.1), behind which a gene may stand in parentheses, or a gene by any of its names
// (gw_gene_is_called()), whose canonical transcript is meant. A version other than the annotation's is an error, and so
// is a name of several places.
gw_status gw_hgvs_transcript(const gw_gene_models *transcripts, const char *name, const gw_genome *genome,
                             const gw_gene_model **out) GW_MUST_CHECK;
// Settles what was parsed as `kind`. Offsets must stand at the ends of exons, and within their introns. Where the
// annotation has no UTR, c.-20 and c.*5 count on along the genome.
gw_status gw_hgvs_settle_on(gw_hgvs *hgvs, char kind, const gw_gene_model *transcript) GW_MUST_CHECK;

// hgvs_protein.c: appends every change of a codon that makes of a residue another one, those of fewest bases first.
//   Ser531Leu   S531L   Ser531Ter   Ser531*   Ser531= (another codon of the residue)   (Ser531Leu)
// The codon must make the residue that is named first. Genetic codes: NCBI's 1, and 11 with its starts.
gw_status gw_hgvs_protein(const char *text, const gw_gene_model *transcript, gw_genome *genome,
                          gw_written_list *out) GW_MUST_CHECK;

// hgvs_alleles.c: fills position, REF and ALT of out->contig's change; insertions and deletions are moved to the
// left as far as they go and get the base before them, or behind where there is none. Bases
// that are named must be the genome's.
gw_status gw_hgvs_alleles(const gw_hgvs *hgvs, gw_genome *genome, gw_written_alleles *out) GW_MUST_CHECK;

#endif
