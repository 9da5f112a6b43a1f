// SPDX-License-Identifier: MIT
// A change that HGVS says, as REF and ALT of a VCF.
#ifndef GW_SEQ_VCF_HGVS_ALLELES_H
#define GW_SEQ_VCF_HGVS_ALLELES_H

#include "base/status.h"
#include "seq/vcf/written_alleles.h"

#include <stdint.h>

// hgvs.c: what HGVS says of a change behind "g.": which bases, and what becomes of them. Nothing is looked up here.
//
// Of https://hgvs-nomenclature.org, DNA recommendations:
//   100G>A   100del   100_102del   100_102delACG   100_101insTT   100dup   100_102dup   100_102delinsTT   100_102inv
// Bases may be named behind del and dup and before ins, as older versions have it.

typedef enum { GW_HGVS_REPLACE, GW_HGVS_INSERT, GW_HGVS_DUPLICATE, GW_HGVS_INVERT } gw_hgvs_change;

// Texts are parts of what was parsed, and not followed by a zero byte.
typedef struct {
    gw_hgvs_change change;
    int64_t first, last;  // 1-based, both included; of an insertion the bases on either side
    const char *named;    // bases that are said to stand there
    int64_t named_length; // 0: not said
    const char *inserted; // what replaces them, or comes between them
    int64_t inserted_length;
} gw_hgvs;

gw_status gw_hgvs_parse(const char *text, gw_hgvs *out) GW_MUST_CHECK;

// Fills position, REF and ALT of out->contig's change; insertions and deletions are moved to the
// left as far as they go and get the base before them, or behind where there is none. Bases
// that are named must be the genome's.
gw_status gw_hgvs_alleles(const gw_hgvs *hgvs, gw_genome *genome, gw_written_alleles *out) GW_MUST_CHECK;

#endif
