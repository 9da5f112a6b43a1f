// SPDX-License-Identifier: MIT
// What the kinds of question sets share. Private to this folder.
#ifndef GW_LANGUAGE_QUESTIONS_QA_PRIVATE_H
#define GW_LANGUAGE_QUESTIONS_QA_PRIVATE_H

#include "base/string.h"
#include "language/answers.h"
#include "language/questions/qa.h"

#include <jansson.h>

typedef gw_status gw_qa_rater(const gw_qa_files *files, gw_qa_rating *out);
gw_qa_rater gw_qa_rate_squad, gw_qa_rate_hotpotqa, gw_qa_rate_natural_questions, gw_qa_rate_triviaqa,
    gw_qa_rate_wikihop;

void gw_qa_add(gw_qa_rating *rating, const char *name, double value);

// A field of an object that must be there and of that type; `where` (such as a question's id) and the file stand in
// the message. The value is borrowed.
gw_status gw_qa_field(const json_t *object, const char *path, const char *where, const char *key, json_type type,
                      json_t **out) GW_MUST_CHECK;
gw_status gw_qa_text(const json_t *object, const char *path, const char *where, const char *key,
                     const char **out) GW_MUST_CHECK;

// The set's only file, as JSON; an error where there are more.
gw_status gw_qa_one_set(const gw_qa_files *files, json_t **out) GW_MUST_CHECK;

// A file of predictions, which is a JSON object.
gw_status gw_qa_object(const char *path, json_t **out) GW_MUST_CHECK;
// The set's predictions: those at hand, or of their file.
gw_status gw_qa_predictions(const gw_qa_files *files, json_t **out) GW_MUST_CHECK;

// The answer predicted for a question, and whether there is one; "" where not. `answers` maps ids to texts.
gw_status gw_qa_predicted(const json_t *answers, const char *path, const char *id, bool *found,
                          const char **out) GW_MUST_CHECK;

// Answers that are right, in normal form.
typedef struct {
    char **answer; // [count]
    int64_t count, capacity;
} gw_qa_answers;
gw_status gw_qa_answers_add(gw_qa_answers *answers, const char *text, gw_answer_rule rule) GW_MUST_CHECK;
void gw_qa_answers_free(gw_qa_answers *answers);
// The best of each metric over all right answers; there is at least one.
gw_status gw_qa_answers_match(const gw_qa_answers *answers, const char *found, gw_answer_rule rule,
                              gw_answer_match *best) GW_MUST_CHECK;

#endif
