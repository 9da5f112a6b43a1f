// SPDX-License-Identifier: MIT
// VCF text through chains, record by record.
//
// A record is lifted where exactly one chain aligns all bases of its REF side by side; on the target's other strand its
// alleles are flipped (seq/lift/lift_alleles.h) and INFO gets the flag GW_FLIP. REF must then agree with the target's
// genome. INFO/END is lifted by the same chain. CHROM, POS, REF, ALT and INFO change, nothing else. The header's
// ##contig and
// ##reference lines become those of the genome.
#ifndef GW_SEQ_LIFT_LIFT_VCF_H
#define GW_SEQ_LIFT_LIFT_VCF_H

#include "base/string.h"
#include "seq/genome/genome.h"
#include "seq/lift/chain.h"

typedef enum {
    GW_LIFT_VCF_DONE,
    GW_LIFT_VCF_NOCONTIG,    // no chain of this contig
    GW_LIFT_VCF_DELETED,     // no base of REF has a partner
    GW_LIFT_VCF_GAP,         // bases of REF have none, or lie apart
    GW_LIFT_VCF_DUPLICATED,  // several chains align it
    GW_LIFT_VCF_NOTARGET,    // the genome lacks the target contig
    GW_LIFT_VCF_REFMISMATCH, // the genome has other bases
    GW_LIFT_VCF_SWAPPED,     // it has those of ALT
    GW_LIFT_VCF_SYMBOLIC,    // <DEL> ... or INFO/END, on the other strand
    GW_LIFT_VCF_BREAKEND,    // ALT names a second place
    GW_LIFT_VCF_EDGE,        // at the contig's end no base is left to stand before an indel
    GW_LIFT_VCF_RESULTS,
} gw_lift_vcf_result;
const char *gw_lift_vcf_reason(gw_lift_vcf_result result);

typedef struct {
    const char *input, *output; // NULL or "-": standard input and output; output ending in .gz is BGZF
    const char *unlifted;       // a VCF of the other records, each with INFO/GW_LIFT; NULL: dropped
    const char *source, *command;
} gw_lift_vcf_options;

typedef struct {
    int64_t records, flipped;
    int64_t results[GW_LIFT_VCF_RESULTS];
    char *unknown; // a contig that the chain file lacks, or NULL; free()
} gw_lift_vcf_counts;

// A target contig whose length in the chain file is not the genome's is an error.
gw_status gw_lift_vcf(const gw_chains *chains, gw_genome *genome, const gw_lift_vcf_options *options,
                      gw_lift_vcf_counts *counts) GW_MUST_CHECK;

// lift_alleles.c: rEF and ALTs of one record that moves to another assembly, perhaps to its other strand. Private to
// lib/seq.
//
// Alleles of one length are complemented and reversed, no more. With an insertion or deletion among them the base that
// all share stands at the wrong end after that, so bases are taken off the right and put on at the left until the
// alleles differ at their last base (Tan et al. 2015, Unified representation of genetic variants): the leftmost place.

typedef struct {
    bool flipped;
    gw_string *items; // REF, then ALTs. Where flipped, bases stand in the opposite order: the last one first
    bool *plain;      // whether made of bases; '*', '.' and <symbol> stay as they are
    int64_t dropped;  // bases left out at the front of each plain item
    int count;
    int64_t capacity, plain_capacity;
} gw_lift_alleles;

// Takes in the alleles as they were; complements them where `flip`. Zero-initialise before the first record.
gw_status gw_lift_alleles_take(gw_lift_alleles *alleles, const char *ref, char **alts, int count,
                               bool flip) GW_MUST_CHECK;
// Moves them from *position (0-based, of REF's first base on the new assembly) to the leftmost place. *fits is false
// where the contig begins before they differ.
gw_status gw_lift_alleles_shift(gw_lift_alleles *alleles, gw_genome *genome, int contig, int64_t *position,
                                bool *fits) GW_MUST_CHECK;
// Appends allele i as VCF writes it.
void gw_lift_alleles_put(const gw_lift_alleles *alleles, int i, gw_string *out);
void gw_lift_alleles_free(gw_lift_alleles *alleles);

#endif
