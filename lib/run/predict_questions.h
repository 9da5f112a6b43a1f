// SPDX-License-Identifier: MIT
// Answers of a span head to the questions of sets in SQuAD's layout.
#ifndef GW_RUN_PREDICT_QUESTIONS_H
#define GW_RUN_PREDICT_QUESTIONS_H

#include "base/json.h"
#include "data/text_set.h"
#include "model/model.h"
#include "run/question_answers.h"

typedef struct {
    const char *const *sets; // [set_count] files
    int set_count;
    gw_text_options texts;      // labels GW_TEXT_SPANS; most 0: the model's positions
    int64_t tokens, pad_to;     // gw_text_logits_options
    int64_t best;               // answers to each question; 0: one
    bool threshold_given;       // else questions stay without an answer above 0 where a set says that some may,
    double no_answer_threshold; // and never where not: none - best answer, in logits
    const char *output;         // the table; NULL: standard output
    bool jsonl;                 // an object an answer instead
    const char *predictions;    // {id: text} as the official script takes it; NULL: none
    const char *no_answer;      // {id: none - best answer}; NULL: none
} gw_predict_questions_options;

// Runs the windows of a set, which is borrowed; free the answers, also on failure.
gw_status gw_answer_questions(gw_model *model, const gw_text_set *set, const gw_predict_questions_options *options,
                              gw_question_answers *out) GW_MUST_CHECK;

// Writes a line for each of the best answers: id, rank (from 1), score (the sum of both logits), no_answer (none - best
// answer), begin and end (characters of the context, from 0, the end behind the last), answer; `.` where no answer is
// the best.
gw_status gw_predict_questions(gw_model *model, const gw_predict_questions_options *options) GW_MUST_CHECK;

// The best answers and none - best answer, by id, as the official script takes them; json_decref() both. Whether the
// set says that questions may have no answer.
gw_status gw_answer_question_set(gw_model *model, const gw_predict_questions_options *options, json_t **answers,
                                 json_t **none, bool *unanswerable) GW_MUST_CHECK;

#endif
