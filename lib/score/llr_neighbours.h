// SPDX-License-Identifier: MIT
// What an allele changes around it: the bases beside it, one masked at a time, as the model expects them with REF and
// with ALT. Of each the Jensen-Shannon divergence of the two distributions over A, C, G and T, in bits (0 to 1):
//   H((p + q) / 2) - (H(p) + H(q)) / 2
#ifndef GW_SCORE_LLR_NEIGHBOURS_H
#define GW_SCORE_LLR_NEIGHBOURS_H

#include "seq/vcf/variant.h"

enum { GW_NEIGHBOURS_A_SIDE = 32, GW_NEIGHBOURS = 2 * GW_NEIGHBOURS_A_SIDE };

// Where neighbour k (0 to GW_NEIGHBOURS - 1) lies in the windows [W] of REF and ALT, in which the trimmed variant
// begins at base `at`; -1 beyond their ends.
void gw_neighbour_bases(int k, const gw_variant *variant, int64_t at, int64_t window, int64_t base[2]);

// Softmax over the logits of some tokens: share [count].
void gw_shares_of(const float *logits, const int32_t *token, int64_t count, float *share);

double gw_divergence_bits(const float p[4], const float q[4]);

// Mean over strands and neighbours of shares [2 strands][2 sides][GW_NEIGHBOURS][4], those that are NaN left out; NaN
// of none.
float gw_mean_divergence(const float *shares);

#endif
