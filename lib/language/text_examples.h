// SPDX-License-Identifier: MIT
// Rows of a set of texts as examples of training: labels of texts and words, choices among answers, spans; and windows
// of question sets with named columns of logits, one window or all of a question.
#ifndef GW_LANGUAGE_TEXT_EXAMPLES_H
#define GW_LANGUAGE_TEXT_EXAMPLES_H

#include "data/shuffle.h"
#include "language/text_batch.h"
#include "network/examples.h"

// Batches of at most `tokens` tokens, or those of the longest example. Borrows model and set.
//
// Of named columns an example's choices are these, whose losses are summed: for each column of ends a token of the
// example's windows (weight 1 over these columns; right ones are taken together, none: no choice), of each window the
// class of its answer, of each marker yes or no (1 over the window's markers), or which of all candidates is right.
gw_status gw_text_examples_open(const gw_model *model, const gw_text_set *set, gw_epochs order, int64_t tokens,
                                gw_examples *out) GW_MUST_CHECK;

#endif
