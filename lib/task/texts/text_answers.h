// SPDX-License-Identifier: MIT
// The answer that a span head's logits name in a text, and how right such answers are.
#ifndef GW_TASK_TEXTS_TEXT_ANSWERS_H
#define GW_TASK_TEXTS_TEXT_ANSWERS_H

#include "base/string.h"
#include "language/text_set.h"
#include "model/model.h"
#include "task/input.h"

typedef struct {
    int64_t first, last; // tokens of the row, from 0
    double score;        // the sum of the two logits; -INFINITY: the row has no token that may answer
} gw_text_answer;

// The best of all spans of at most 30 tokens, special ones left out and, of pairs, those of the question. z:
// [tokens][2] of the row. Appends its text, without blanks in front, and with U+FFFD where tokens of bytes cut a
// character.
gw_status gw_text_answer_find(const gw_tokenizer *tokenizer, const gw_text_set *set, bool pairs, int64_t row,
                              const float *z, gw_text_answer *out, gw_string *text) GW_MUST_CHECK;

// Rates the answer of a span head to each row by the first column of labels: an answer, or a JSON list of answers of
// which the best counts (empty: there is none). Writes a TSV with one line: rows, exact, f1 (language/answers.h).
gw_status gw_eval_answers(gw_model *model, const gw_task_input *in) GW_MUST_CHECK;

#endif
