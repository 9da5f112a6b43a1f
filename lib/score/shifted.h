// SPDX-License-Identifier: MIT
// The other places at which an insertion or deletion could be written: in a repeat the same change of the sequence has
// several, and windows are centred on the one that the record has.
#ifndef GW_SCORE_SHIFTED_H
#define GW_SCORE_SHIFTED_H

#include "seq/vcf/variant.h"

// The leftmost and the rightmost form of a trimmed variant, at most `most` bases from where it stands.
typedef struct {
    int64_t left, right; // steps to them; 0: it stands there. Both 0: no other, or no insertion or deletion of bases
    gw_variant form[2];  // leftmost, rightmost; their texts in `bases`
    char *bases;         // free() it; NULL where both steps are 0
} gw_shifted;

gw_status gw_shifted_find(gw_genome *genome, const gw_variant *variant, int64_t most, gw_shifted *out) GW_MUST_CHECK;

#endif
