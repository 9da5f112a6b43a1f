// SPDX-License-Identifier: MIT
// Whether all ranks read the same data.
#ifndef GW_RUN_EXAMPLES_DIGEST_H
#define GW_RUN_EXAMPLES_DIGEST_H

#include "network/examples.h"

// Fails on all ranks where the examples of one are others than rank 0's: by an MD5 of the batches that the first
// examples of some steps make, up to step 1023. A meeting, as gw_ranks_agree() is.
gw_status gw_examples_compare(const gw_examples *examples) GW_MUST_CHECK;

#endif
