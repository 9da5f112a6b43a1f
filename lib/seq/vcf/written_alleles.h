// SPDX-License-Identifier: MIT
// REF and ALT as somebody wrote them, to be held to the genome: an error says what the genome has.
#ifndef GW_SEQ_VCF_WRITTEN_ALLELES_H
#define GW_SEQ_VCF_WRITTEN_ALLELES_H

#include "base/status.h"
#include "seq/genome/genome.h"

#include <stdint.h>

typedef struct {
    int contig;
    int64_t position; // 0-based
    char *ref, *alt;  // upper case
    char codons[8];   // of a change of a protein: "TCC>TTG", as its transcript has them; else empty
} gw_written_alleles;

// Zero-initialise.
typedef struct {
    gw_written_alleles *items;
    int64_t count, capacity;
} gw_written_list;

void gw_written_alleles_free(gw_written_alleles *alleles);
void gw_written_list_free(gw_written_list *list);
// Fails where the genome has other bases than `ref`, with both, and past the contig's end. Letters that are not A, C,
// G, T agree with anything that they stand for (gw_variant_check_ref).
gw_status gw_written_ref_check(gw_genome *genome, int contig, int64_t position, const char *ref) GW_MUST_CHECK;

#endif
