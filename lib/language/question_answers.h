// SPDX-License-Identifier: MIT
// The best answers to a set's questions (language/question_windows.h) over all windows of their contexts, and the
// values of further columns of logits.
#ifndef GW_LANGUAGE_QUESTION_ANSWERS_H
#define GW_LANGUAGE_QUESTION_ANSWERS_H

#include "base/string.h"
#include "language/text_set.h"
#include "model/config.h"

typedef struct {
    int64_t context, begin, end; // bytes of the context
    double score;                // start + end logit
} gw_found_answer;

// For a question with named columns.
typedef struct {
    int64_t part;                 // best long answer; -1: none lies in a window
    double part_score, part_none; // the sum of the logits of its ends, and that of the first token in its window
    double none;                  // that of the first token in the window of the best short answer
    float type[8]; // class logits in the window of the best answer (of the long answer, if the set has long answers)
    float *mark;   // [marks] the largest logit of the marker of each part or candidate
    int64_t marks;
} gw_found_columns;

// Zero-initialise, except the first two fields; free.
typedef struct {
    const gw_text_set *set;
    int64_t most;    // kept answers of a question
    int64_t columns; // number of columns of the logits, and the column of an answer's first end; 0: the set's own
    int start;
    gw_found_answer *best;    // [questions][most] by descending score
    int64_t *found;           // [questions] their number
    double *none;             // [questions] start + end logit of the first token, the smallest over all windows
    gw_found_columns *column; // [questions], for sets with named columns
} gw_question_answers;

gw_status gw_question_answers_begin(gw_question_answers *answers) GW_MUST_CHECK;
void gw_question_answers_free(gw_question_answers *answers);
// Takes the logits of a row, [tokens][columns]. If two windows have a span, the better score counts. For long and short
// answers, the first token is chosen, then the last token behind it. Otherwise the sum of both is maximised.
void gw_question_answers_add(gw_question_answers *answers, int64_t row, const float *z);

// Preference for no answer over the best answer: none - best; 0 if the context has no word.
double gw_question_answers_none(const gw_question_answers *answers, int64_t question);
// Appends the text of answer number `rank` in its context; appends nothing if there are fewer answers.
void gw_question_answers_text(const gw_question_answers *answers, int64_t question, int64_t rank, gw_string *out);
// The class with the largest logit; -1: no classes.
int gw_question_answers_type(const gw_question_answers *answers, int64_t question);
// The answer to a question that needs no span: "yes", "no" or a candidate; NULL: a span.
const char *gw_question_answers_word(const gw_question_answers *answers, int64_t question);
// The candidate with the largest logit; -1: no candidates.
int64_t gw_question_answers_candidate(const gw_question_answers *answers, int64_t question);

#endif
