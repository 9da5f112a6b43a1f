// SPDX-License-Identifier: MIT
// The best answers to the questions of a set (language/question_windows.h) over all windows of their contexts, and what
// columns beside an answer's ends say.
#ifndef GW_LANGUAGE_QUESTION_ANSWERS_H
#define GW_LANGUAGE_QUESTION_ANSWERS_H

#include "base/string.h"
#include "language/text_set.h"
#include "model/config.h"

typedef struct {
    int64_t context, begin, end; // bytes of the context
    double score;                // start + end logit
} gw_found_answer;

// Of a question whose columns have names.
typedef struct {
    int64_t part;                 // that is the best long answer; -1: none lies in a window
    double part_score, part_none; // the sum of its ends' logits, and that of the first token in its window
    double none;                  // that of the first token in the window of the best short answer
    float type[8]; // logits of the classes in the window of the best answer (of the long one, where there are)
    float *mark;   // [marks] the largest logit of each part's, or candidate's, marker
    int64_t marks;
} gw_found_columns;

// Zero-initialise but for the first two fields, and free.
typedef struct {
    const gw_text_set *set;
    int64_t most;    // answers kept of a question
    int64_t columns; // of the logits, and the number of an answer's first end among them; 0: the set's own
    int start;
    gw_found_answer *best;    // [questions][most] of falling score
    int64_t *found;           // [questions] of them
    double *none;             // [questions] start + end logit of the first token, the least of all windows
    gw_found_columns *column; // [questions], of sets with named columns
} gw_question_answers;

gw_status gw_question_answers_begin(gw_question_answers *answers) GW_MUST_CHECK;
void gw_question_answers_free(gw_question_answers *answers);
// Takes a row's logits [tokens][columns]; of a span that two windows hold the better score counts. Of a long and a
// short answer the first token is chosen, and then the last one behind it; else the sum of both is the largest.
void gw_question_answers_add(gw_question_answers *answers, int64_t row, const float *z);

// How much more the model is for no answer than for the best one: none - best; 0 where the context has no word.
double gw_question_answers_none(const gw_question_answers *answers, int64_t question);
// Appends answer number `rank` of a question as it stands in its context; nothing where there are fewer.
void gw_question_answers_text(const gw_question_answers *answers, int64_t question, int64_t rank, gw_string *out);
// The class of the answer with the largest logit; -1: there are no classes.
int gw_question_answers_type(const gw_question_answers *answers, int64_t question);
// What answers a question that no span answers: "yes", "no" or a candidate; NULL: a span does.
const char *gw_question_answers_word(const gw_question_answers *answers, int64_t question);
// The candidate with the largest logit; -1: there are none.
int64_t gw_question_answers_candidate(const gw_question_answers *answers, int64_t question);

#endif
