// SPDX-License-Identifier: MIT
// What stands around a single-base change: the two bases on either side of it, and ALT. A change and its reverse
// complement are the same, so that REF is A or C.
//
// Mutational habits stand in a genome and so in a model of it: a change is likelier or less likely for its neighbours'
// sake alone, which the mean of many such changes tells.
#ifndef GW_SCORE_CONTEXT_H
#define GW_SCORE_CONTEXT_H

#include "seq/vcf/variant.h"

#include <stdint.h>

enum { GW_CONTEXTS = 4 * 4 * 2 * 4 * 4 * 3, GW_CONTEXT_NAME = 8 };

// *context in [0, GW_CONTEXTS); -1 of what is no single-base change, or where N or a contig's end is near.
gw_status gw_context_of(gw_genome *genome, const gw_variant *variant, int32_t *context) GW_MUST_CHECK;
void gw_context_name(int32_t context, char name[GW_CONTEXT_NAME]); // "ACATT>G"

#endif
