// SPDX-License-Identifier: MIT
// The change of a model's hidden states at an allele's site. States of the last layer, averaged over the tokens with a
// base of the trimmed REF (or of ALT in its window), in windows around the variant. Averaged over both strands:
//   distance  |h(ALT) - h(REF)|, Euclidean
//   cosine    h(ALT) . h(REF) / (|h(ALT)| |h(REF)|)
#ifndef GW_SCORE_SCORE_STATES_H
#define GW_SCORE_SCORE_STATES_H

#include "model/model.h"
#include "score/allele.h"

typedef struct gw_state_scorer gw_state_scorer;

// Borrows model and genome. window: bp; batch_tokens: 0: the default.
gw_status gw_state_scorer_new(gw_model *model, gw_genome *genome, int64_t window, int64_t batch_tokens,
                              gw_state_scorer **out) GW_MUST_CHECK;
void gw_state_scorer_free(gw_state_scorer *scorer); // NULL is fine
// Fills `distance` and `cosine` of the alleles with a score that are not neutral; NaN if tokens cannot be matched to
// bases.
gw_status gw_state_scorer_run(gw_state_scorer *scorer, gw_allele *alleles, int64_t count) GW_MUST_CHECK;

#endif
