// SPDX-License-Identifier: MIT
// Answers of a span head to the questions of sets (language/questions/question_format.h).
#ifndef GW_TASK_TEXTS_PREDICT_QUESTIONS_H
#define GW_TASK_TEXTS_PREDICT_QUESTIONS_H

#include "language/question_answers.h"
#include "language/text_set.h"
#include "model/model.h"
#include "task/predict.h"

// Runs the windows of a set in batches of `tokens` (gw_text_logits_new()) to find the `best` answers to each question
// (0: one). Borrows the set. Free `out`, also after a failure.
gw_status gw_answer_questions(gw_model *model, const gw_text_set *set, int64_t tokens, int64_t best,
                              gw_question_answers *out) GW_MUST_CHECK;

// Writes a line for each of the best answers: id, rank (from 1), score (the sum of both logits), no_answer (none - best
// answer), begin and end (characters of the context, from 0, half-open), answer. `.` if no answer is the best, and for
// positions of yes, no and candidates.
gw_status gw_predict_questions(gw_model *model, const gw_predict_options *options) GW_MUST_CHECK;

// Writes the official metrics of the answers to a set's questions to standard output: metric, value.
gw_status gw_eval_questions(gw_model *model, const gw_task_input *in) GW_MUST_CHECK;

#endif
