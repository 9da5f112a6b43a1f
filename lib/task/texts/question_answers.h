// SPDX-License-Identifier: MIT
// The best answers to the questions of a set (data/question_windows.h) over all windows of their contexts.
#ifndef GW_TASK_TEXTS_QUESTION_ANSWERS_H
#define GW_TASK_TEXTS_QUESTION_ANSWERS_H

#include "base/string.h"
#include "data/text_set.h"

typedef struct {
    int64_t begin, end; // bytes of the context
    double score;       // start + end logit
} gw_found_answer;

// Zero-initialise but for the first two fields, and free.
typedef struct {
    const gw_text_set *set;
    int64_t most;          // answers kept of a question
    gw_found_answer *best; // [questions][most] of falling score
    int64_t *found;        // [questions] of them
    double *none;          // [questions] start + end logit of the first token, the least of all windows
} gw_question_answers;

gw_status gw_question_answers_begin(gw_question_answers *answers) GW_MUST_CHECK;
void gw_question_answers_free(gw_question_answers *answers);
// Takes a row's logits [tokens][2]; of a span that two windows hold the better score counts.
void gw_question_answers_add(gw_question_answers *answers, int64_t row, const float *z);

// How much more the model is for no answer than for the best one: none - best; 0 where the context has no word.
double gw_question_answers_none(const gw_question_answers *answers, int64_t question);
// Appends answer number `rank` of a question as it stands in its context; nothing where there are fewer.
void gw_question_answers_text(const gw_question_answers *answers, int64_t question, int64_t rank, gw_string *out);

// The means over questions of SQuAD's figures, "" being the answer where the model is more for none by more than
// `threshold` (INFINITY: never).
gw_status gw_question_answers_rate(const gw_question_answers *answers, double threshold, double *exact,
                                   double *f1) GW_MUST_CHECK;

#endif
