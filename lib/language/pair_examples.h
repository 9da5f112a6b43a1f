// SPDX-License-Identifier: MIT
// Pairs of sources and targets as examples of teacher forcing: each token of a target is predicted from its source and
// the tokens before it.
#ifndef GW_LANGUAGE_PAIR_EXAMPLES_H
#define GW_LANGUAGE_PAIR_EXAMPLES_H

#include "data/shuffle.h"
#include "language/text_pairs.h"
#include "network/examples.h"

// Batches of about `tokens` tokens of sources, and as many of targets as go with them. order NULL: one step of all
// pairs as they stand. Borrows the pairs.
gw_status gw_pair_examples_open(const gw_model *model, const gw_text_pairs *pairs, const gw_epochs *order,
                                int64_t tokens, gw_examples *out) GW_MUST_CHECK;

// What a model makes of pairs without dropout and smoothing: over tokens of targets.
typedef struct {
    double loss;    // mean of -ln p
    double correct; // share of tokens that are the likeliest where those before them are known
} gw_pair_metrics;
gw_status gw_pairs_rate(gw_model *model, const gw_text_pairs *pairs, int64_t tokens,
                        gw_pair_metrics *out) GW_MUST_CHECK;

#endif
