// SPDX-License-Identifier: MIT
// A change that HGVS says, as REF and ALT of a VCF.
#ifndef GW_SEQ_VCF_HGVS_ALLELES_H
#define GW_SEQ_VCF_HGVS_ALLELES_H

#include "seq/vcf/hgvs.h"
#include "seq/vcf/written_alleles.h"

// Fills position, REF and ALT of out->contig's change; insertions and deletions are moved to the
// left as far as they go and get the base before them, or behind where there is none. Bases
// that are named must be the genome's.
gw_status gw_hgvs_alleles(const gw_hgvs *hgvs, gw_genome *genome, gw_written_alleles *out) GW_MUST_CHECK;

#endif
