// SPDX-License-Identifier: MIT
// One ALT on its way through `score`: its windows, and what the model says about it.
#ifndef GW_SCORE_ALLELE_H
#define GW_SCORE_ALLELE_H

#include "seq/vcf/variant.h"

#include <stdbool.h>
#include <stdint.h>

// Whether an allele's score was computed, or taken from a table (score/score_known.h) that this model made, or another
// program.
typedef enum { GW_COMPUTED, GW_KNOWN_OWN, GW_KNOWN_OTHER } gw_known;

typedef struct {
    gw_variant variant;      // trimmed; texts borrowed from the record
    gw_allele_status status; // scorers turn PASS into TOOLONG or NOSITE
    bool swapped;            // the record's REF and ALT stand in the variant as ALT and REF
    // classifier models: the profile of the largest |p(ALT) - p(REF)|, ties to the lowest index
    int32_t top;
    int32_t site;                  // of the start sites that models with one are scored in, or -1
    float difference, logit, mean; // p(ALT) - p(REF), the same of logits, mean |difference| over profiles
    float ref_value, alt_value;    // p of the top profile
    // of splicing: how many bases from the trimmed POS the largest score, `difference`, is
    int32_t shift;
    // pretrained models
    float bits;      // log-likelihood ratio
    int32_t context; // gw_context_of(), -1: none
    // of several tokenisation phases: standard deviation of their differences in the top profile, or of their bits
    float spread;
    // of an insertion or deletion that other places of the reference say as well: the difference, or the bits, of its
    // leftmost and its rightmost form; NaN: not asked for, or no such allele
    float leftmost, rightmost;
    // of an insertion or deletion among neutral ones (gw_indel_null_rank()), or NaN
    float null_z, null_percentile;
    bool neutral;     // one of those: nothing but its score is wanted
    float divergence; // mean over neighbours, bits (score/score_llr.h); NaN: not asked for
    // of the haplotypes that carry it with others (score/haplotypes.h): 1 + the group of each, 0: none; score together
    // and interaction where that is larger in size, or NaN
    int32_t group[2];
    float together, interaction;
    gw_known known;         // where the score is from
    float known_value;      // of another program, or NaN
    float distance, cosine; // of the hidden states at the site (score/score_states.h); the same
} gw_allele;

// The shift of the windows of the k-th of several phases, bp: 0, 1, -1, 2, -2 ...
static inline int64_t gw_phase_shift(int64_t k) {
    return k % 2 ? (k + 1) / 2 : -(k / 2);
}

#endif
