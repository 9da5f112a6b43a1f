// SPDX-License-Identifier: MIT
// REF and ALTs of one record that moves to another assembly, perhaps to its other strand. Private to lib/seq.
//
// Alleles of one length are complemented and reversed, no more. With an insertion or deletion among them the base that
// all share stands at the wrong end after that, so bases are taken off the right and put on at the left until the
// alleles differ at their last base (Tan et al. 2015, Unified representation of genetic variants): the leftmost place.
#ifndef GW_SEQ_LIFT_LIFT_ALLELES_H
#define GW_SEQ_LIFT_LIFT_ALLELES_H

#include "base/string.h"
#include "seq/genome/genome.h"

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
