// SPDX-License-Identifier: MIT
// Rows of a set of texts as examples of training: labels of texts and words, choices among answers, spans.
#ifndef GW_TASK_TEXTS_TEXT_EXAMPLES_H
#define GW_TASK_TEXTS_TEXT_EXAMPLES_H

#include "data/shuffle.h"
#include "network/examples.h"
#include "task/texts/text_batch.h"

// Batches of at most `tokens` tokens, or those of the longest row. Borrows model and set.
gw_status gw_text_examples_open(const gw_model *model, const gw_text_set *set, gw_epochs order, int64_t tokens,
                                gw_examples *out) GW_MUST_CHECK;

#endif
