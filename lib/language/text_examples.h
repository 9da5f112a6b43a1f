// SPDX-License-Identifier: MIT
// Rows of a text set as training examples: labels of texts and words, choices among answers, spans; and windows of
// question sets with named columns of logits, one window or all windows of a question.
#ifndef GW_LANGUAGE_TEXT_EXAMPLES_H
#define GW_LANGUAGE_TEXT_EXAMPLES_H

#include "data/shuffle.h"
#include "language/text_batch.h"
#include "network/examples.h"

// Batches have at most `tokens` tokens, or those of the longest example. Borrows model and set.
//
// With named columns, the losses of several choices of an example are summed. For each column of ends: a token of the
// example's windows (weight 1 over these columns; several right tokens count together; none: no choice). For each
// window: the class of its answer. For each marker yes or no (weight 1 over the window's markers), or the right one of
// all candidates.
gw_status gw_text_examples_open(const gw_model *model, const gw_text_set *set, gw_epochs order, int64_t tokens,
                                gw_examples *out) GW_MUST_CHECK;

#endif
