// SPDX-License-Identifier: MIT
// How far an allele moves a model's hidden states at its site: those of the last layer, mean over the tokens that hold
// a base of the trimmed REF (of ALT in its window), in windows around the variant. Of both strands the mean of
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
// Fills `distance` and `cosine` of the alleles that have a score and are not neutral; NaN where tokens and bases cannot
// be matched.
gw_status gw_state_scorer_run(gw_state_scorer *scorer, gw_allele *alleles, int64_t count) GW_MUST_CHECK;

#endif
