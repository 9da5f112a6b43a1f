// SPDX-License-Identifier: MIT
// Question sets as windows over their contexts: [CLS] question [SEP] a part of the context [SEP], part by part.
#ifndef GW_LANGUAGE_QUESTION_WINDOWS_H
#define GW_LANGUAGE_QUESTION_WINDOWS_H

#include "language/text_set.h"

// A context is split into words at white space, and each token covers bytes of it: those that it spells, or, where it
// spells others than the context (accents that were taken off), the whole word.
//
// Takes the questions, also on failure. Labels are the first answer that the context holds: its tokens where the window
// holds all of it, else the first token of the row; so where there is no answer though there may be none; -1 where
// nobody says. A question without room for a word of the context is an error that names it.
gw_status gw_question_windows(gw_questions *questions, const gw_tokenizer *tokenizer, const gw_text_options *options,
                              gw_text_set *out) GW_MUST_CHECK;

// Whether a row holds an answer, or what else is right.
bool gw_question_labels_right(const gw_question_labels *labels, int64_t row);

#endif
