// SPDX-License-Identifier: MIT
// Question sets as windows over their contexts: [CLS] question [SEP] part of the context [SEP].
#ifndef GW_LANGUAGE_QUESTION_WINDOWS_H
#define GW_LANGUAGE_QUESTION_WINDOWS_H

#include "language/text_set.h"

// A context is split into words at white space. Each token covers bytes of the context: its own text, or the whole word
// if the token's text differs from the context (removed accents).
//
// Takes ownership of the questions, also after a failure. The label of a window is the first answer in the context: its
// tokens, if the window holds all of it; else the first token of the row. The first token is also the label if there
// may be no answer and there is none. -1: unknown. A question that leaves no space for a word of the context is an
// error that names the question.
gw_status gw_question_windows(gw_questions *questions, const gw_tokenizer *tokenizer, const gw_text_options *options,
                              gw_text_set *out) GW_MUST_CHECK;

// Whether a row holds an answer or another correct label.
bool gw_question_labels_right(const gw_question_labels *labels, int64_t row);

#endif
