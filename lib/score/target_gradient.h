// SPDX-License-Identifier: MIT
// Effects of each base on a target, by backward passes.
#ifndef GW_SCORE_TARGET_GRADIENT_H
#define GW_SCORE_TARGET_GRADIENT_H

#include "score/target.h"

typedef struct gw_target_gradient gw_target_gradient; // networks for sequences of one length

// multipliers [length][4], in the order A, C, G, T: the effect of a base at a position on the target. Without
// references: the gradient. With references of `length` bases: DeepLIFT's multipliers (nn/rescale.h) minus those of the
// reference's base, averaged: hypothetical contributions. Models with tokens of several bases are an error. *off: the
// largest error of the sum of contributions compared with the difference from a reference; NaN without references.
// *kept (NULL at first) is reused, and made again for another length; the number of references must stay the same.
gw_status gw_target_multipliers(gw_target_gradient **kept, gw_target *target, const char *bases, int64_t length,
                                const char *const *references, int64_t count, double *multipliers,
                                double *off) GW_MUST_CHECK;
void gw_target_gradient_free(gw_target_gradient *gradient); // NULL is fine

// Shuffles bases and keeps the number of each dinucleotide and the first and last base (Altschul and Erickson, 1985).
// All orders are equally likely. Letters other than A, C, G, T count as one letter.
gw_status gw_shuffle_dinucleotides(const char *bases, int64_t length, uint64_t seed, uint64_t region, uint32_t index,
                                   char *out) GW_MUST_CHECK;

#endif
