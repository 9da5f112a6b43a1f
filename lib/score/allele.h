// SPDX-License-Identifier: MIT
// An ALT while `score` works on it: its windows and its scores.
#ifndef GW_SCORE_ALLELE_H
#define GW_SCORE_ALLELE_H

#include "seq/vcf/variant.h"

#include <stdbool.h>
#include <stdint.h>

// Origin of an allele's score: computed, or taken from a table (score/score_known.h) of this model, or of another
// program.
typedef enum { GW_COMPUTED, GW_KNOWN_OWN, GW_KNOWN_OTHER } gw_known;

typedef struct {
    gw_variant variant;      // trimmed; texts borrowed from the record
    gw_allele_status status; // scorers turn PASS into TOOLONG or NOSITE
    bool swapped;            // the record's REF and ALT are exchanged in the variant
    // classifier models: the profile with the largest |p(ALT) - p(REF)|; of equal ones the lowest index
    int32_t top;
    int32_t site;                  // start site of the score, for models with start sites; or -1
    float difference, logit, mean; // p(ALT) - p(REF); difference of the logits; mean |difference| over profiles
    float ref_value, alt_value;    // p of the top profile
    // splicing: distance in bases from the trimmed POS to the largest score, `difference`
    int32_t shift;
    // pretrained models
    float bits;      // log-likelihood ratio
    int32_t context; // gw_context_of(), -1: none
    // several tokenisation phases: standard deviation over the phases of the top profile's difference, or of the bits
    float spread;
    // insertion or deletion with several positions in the reference: difference, or bits, of the leftmost and of the
    // rightmost form; NaN: not requested, or no such allele
    float leftmost, rightmost;
    // rank of an insertion or deletion among neutral ones (gw_indel_null_rank()), or NaN
    float null_z, null_percentile;
    bool neutral;     // a neutral allele: only its score is computed
    float divergence; // mean over neighbours, bits (score/score_llr.h); NaN: not requested
    // haplotypes that combine this allele with others (score/haplotypes.h): 1 + the group of each, 0: none; joint score
    // and interaction of the group with the larger size, or NaN
    int32_t group[2];
    float together, interaction;
    gw_known known;         // origin of the score
    float known_value;      // score of another program, or NaN
    float distance, cosine; // between hidden states at the site (score/score_states.h), or NaN
} gw_allele;

// The shift in bp of the windows of phase k: 0, 1, -1, 2, -2 ...
static inline int64_t gw_phase_shift(int64_t k) {
    return k % 2 ? (k + 1) / 2 : -(k / 2);
}

#endif
