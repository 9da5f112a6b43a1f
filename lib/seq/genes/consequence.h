// SPDX-License-Identifier: MIT
// Consequences of a variant for the transcripts of an annotation, with the terms and format of `bcftools csq
// --local-csq`:
//   consequence[&consequence ...]|gene|transcript|biotype[|strand[|amino_acid_change|dna_change]]
// The terms are synonymous, missense, stop_lost, stop_gained, inframe_deletion, inframe_insertion, frameshift,
// splice_acceptor, splice_donor, start_lost, splice_region, stop_retained, 5_prime_utr, 3_prime_utr, non_coding,
// intron, coding_sequence, feature_elongation and start_retained, in that order, and NMD_transcript.
//
// Reference: Danecek and McCarthy 2017, BCFtools/csq; output of version 1.21, each record separately.
#ifndef GW_SEQ_GENES_CONSEQUENCE_H
#define GW_SEQ_GENES_CONSEQUENCE_H

#include "base/string.h"
#include "seq/genes/annotation.h"

typedef struct gw_consequences gw_consequences;

// Borrows both.
gw_status gw_consequences_new(const gw_annotation *annotation, gw_genome *genome, gw_consequences **out) GW_MUST_CHECK;
void gw_consequences_free(gw_consequences *consequences); // NULL is fine

// A record. REF must agree with the genome.
typedef struct {
    int contig; // -1: no consequences
    int64_t position;
    const char *ref;
    const char *const *alt; // [alts] bases, or "<INS...>"; NULL: allele without consequences
    int alts;
} gw_consequence_site;

// Appends the entries of a record, joined by commas; *any says whether there was one. If the first allele that is not
// NULL is <INS...>, only this allele is used.
gw_status gw_consequences_of(gw_consequences *consequences, const gw_consequence_site *site, gw_string *out,
                             bool *any) GW_MUST_CHECK;

// The severity of the most severe term of an entry, in the order of Ensembl's VEP: 0 is the most severe.
int gw_consequence_rank(const char *entry);

#endif
