// SPDX-License-Identifier: MIT
// What a target changes by each base, by backward passes.
#ifndef GW_SCORE_TARGET_GRADIENT_H
#define GW_SCORE_TARGET_GRADIENT_H

#include "score/target.h"

typedef struct gw_target_gradient gw_target_gradient; // networks for sequences of one length

// multipliers [length][4], by A, C, G, T: what the target changes by the base at a place. Without references the
// gradient; with them, of `length` bases each, the mean of DeepLIFT's multipliers (nn/rescale.h), less those of the
// reference's base: hypothetical contributions. Models of tokens of several bases are an error. *off: by how much
// contributions that should add up to the difference from a reference miss it, at most; NaN without references. *kept
// (NULL at first) is made, and made anew for another length; the number of references stays.
gw_status gw_target_multipliers(gw_target_gradient **kept, gw_target *target, const char *bases, int64_t length,
                                const char *const *references, int64_t count, double *multipliers,
                                double *off) GW_MUST_CHECK;
void gw_target_gradient_free(gw_target_gradient *gradient); // NULL is fine

// Shuffles bases so that each dinucleotide, the first and the last base stay as often (Altschul and Erickson, 1985):
// all orders are equally likely. Letters other than A, C, G, T are one kind of their own.
gw_status gw_shuffle_dinucleotides(const char *bases, int64_t length, uint64_t seed, uint64_t region, uint32_t index,
                                   char *out) GW_MUST_CHECK;

#endif
