// SPDX-License-Identifier: MIT
// Which alleles of a record a sample carries on which of its two haplotypes (VCF 4.3, section 1.6.2: GT and PS).
#ifndef GW_SEQ_VCF_VCF_SAMPLE_H
#define GW_SEQ_VCF_VCF_SAMPLE_H

#include "seq/vcf/vcf.h"

typedef struct {
    int allele[2];   // of the first and second haplotype: 0 REF, 1 .. the ALTs; -1: missing, or there is none
    bool phased;     // which is which is known: GT has a '|', one haplotype alone, or both alleles are the same
    bool everywhere; // both are the same, so that it holds whatever the phase set
    int64_t set;     // PS; 0: the record names none, and is phased with all others that do not
} gw_carried;

// The number of a sample; name NULL: of the only one.
gw_status gw_vcf_find_sample(const gw_vcf_reader *reader, const char *name, int *sample) GW_MUST_CHECK;
gw_status gw_vcf_carried(const gw_vcf_reader *reader, const gw_vcf_record *record, int sample,
                         gw_carried *out) GW_MUST_CHECK;

#endif
