// SPDX-License-Identifier: MIT
// Lifts VCF text through chains, record by record.
//
// A record is lifted if exactly one chain aligns all bases of its REF side by side. On the target's opposite strand,
// alleles are reverse complemented, and INFO gets the flag GW_FLIP. REF must then agree with the target genome.
// INFO/END is lifted by the same chain. Only CHROM, POS, REF, ALT and INFO change. The header's ##contig and
// ##reference lines become those of the genome.
#ifndef GW_SEQ_LIFT_LIFT_VCF_H
#define GW_SEQ_LIFT_LIFT_VCF_H

#include "base/string.h"
#include "seq/genome/genome.h"
#include "seq/lift/chain.h"

typedef enum {
    GW_LIFT_VCF_DONE,
    GW_LIFT_VCF_NOCONTIG,    // no chain for this contig
    GW_LIFT_VCF_DELETED,     // no base of REF is aligned
    GW_LIFT_VCF_GAP,         // some bases of REF are not aligned, or are apart
    GW_LIFT_VCF_DUPLICATED,  // several chains align it
    GW_LIFT_VCF_NOTARGET,    // the genome lacks the target contig
    GW_LIFT_VCF_REFMISMATCH, // the genome has other bases
    GW_LIFT_VCF_SWAPPED,     // the genome has ALT
    GW_LIFT_VCF_SYMBOLIC,    // <DEL> ... or INFO/END, on the opposite strand
    GW_LIFT_VCF_BREAKEND,    // ALT names a second position
    GW_LIFT_VCF_EDGE,        // at the contig's end there is no base before an indel
    GW_LIFT_VCF_RESULTS,
} gw_lift_vcf_result;
const char *gw_lift_vcf_reason(gw_lift_vcf_result result);

typedef struct {
    const char *input, *output; // NULL or "-": standard input and output; output ending in .gz is BGZF
    const char *unlifted;       // a VCF of the records that were not lifted, each with INFO/GW_LIFT; NULL: dropped
    const char *source, *command;
} gw_lift_vcf_options;

typedef struct {
    int64_t records, flipped;
    int64_t results[GW_LIFT_VCF_RESULTS];
    char *unknown; // a contig that the chain file lacks, or NULL; free() it
} gw_lift_vcf_counts;

// A target contig with different lengths in the chain file and the genome is an error.
gw_status gw_lift_vcf(const gw_chains *chains, gw_genome *genome, const gw_lift_vcf_options *options,
                      gw_lift_vcf_counts *counts) GW_MUST_CHECK;

#endif
