// SPDX-License-Identifier: MIT
// The answer that a span head's logits name in a text.
#ifndef GW_LANGUAGE_TEXT_ANSWERS_H
#define GW_LANGUAGE_TEXT_ANSWERS_H

#include "base/string.h"
#include "language/text_set.h"

typedef struct {
    int64_t first, last; // tokens of the row, from 0
    double score;        // the sum of the two logits; -INFINITY: the row has no token that may answer
} gw_text_answer;

// The best of all spans of at most 30 tokens, special ones left out and, of pairs, those of the question. z:
// [tokens][2] of the row. Appends its text, without blanks in front, and with U+FFFD where tokens of bytes cut a
// character.
gw_status gw_text_answer_find(const gw_tokenizer *tokenizer, const gw_text_set *set, bool pairs, int64_t row,
                              const float *z, gw_text_answer *out, gw_string *text) GW_MUST_CHECK;

#endif
