// SPDX-License-Identifier: MIT
// What a variant does to the transcripts of an annotation, in the terms and the layout of `bcftools csq --local-csq`:
//   consequence[&consequence ...]|gene|transcript|biotype[|strand[|amino_acid_change|dna_change]]
// The terms are synonymous, missense, stop_lost, stop_gained, inframe_deletion, inframe_insertion, frameshift,
// splice_acceptor, splice_donor, start_lost, splice_region, stop_retained, 5_prime_utr, 3_prime_utr, non_coding,
// intron, coding_sequence, feature_elongation and start_retained, in that order, and NMD_transcript.
//
// Reference: Danecek and McCarthy 2017, BCFtools/csq; what its version 1.21 writes, each record for itself.
#ifndef GW_SEQ_GENES_CONSEQUENCE_H
#define GW_SEQ_GENES_CONSEQUENCE_H

#include "base/string.h"
#include "seq/genes/annotation.h"

typedef struct gw_consequences gw_consequences;

// Both are borrowed.
gw_status gw_consequences_new(const gw_annotation *annotation, gw_genome *genome, gw_consequences **out) GW_MUST_CHECK;
void gw_consequences_free(gw_consequences *consequences); // NULL is fine

// A record; REF agrees with the genome.
typedef struct {
    int contig; // -1: nothing befalls it
    int64_t position;
    const char *ref;
    const char *const *alt; // [alts] bases, or "<INS...>"; NULL: an allele that nothing is told of
    int alts;
} gw_consequence_site;

// Appends the entries of a record, joined by commas; *any says whether there was one. Where the first allele that
// anything is told of is <INS...>, it alone is looked at.
gw_status gw_consequences_of(gw_consequences *consequences, const gw_consequence_site *site, gw_string *out,
                             bool *any) GW_MUST_CHECK;

// How grave the gravest term of an entry is, in the order of Ensembl's VEP: 0 is the gravest.
int gw_consequence_rank(const char *entry);

#endif
