// SPDX-License-Identifier: MIT
// What the formats of question sets share: for readers their place in a file, ids, and how a file begins; for raters
// fields, predictions and right answers.
#ifndef GW_LANGUAGE_QUESTIONS_QUESTION_FILES_H
#define GW_LANGUAGE_QUESTIONS_QUESTION_FILES_H

#include "base/json.h"
#include "base/status.h"
#include "base/string.h"
#include "file/json_file.h"
#include "language/answers.h"
#include "language/questions.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *path;
    gw_questions *questions;
    json_t *ids;     // that were met
    gw_string where; // for messages: the file, and the question
} gw_question_reader;

gw_status gw_question_reader_begin(gw_question_reader *reader, const char *path, gw_questions *questions) GW_MUST_CHECK;
// Releases; fails where nothing was read.
gw_status gw_question_reader_end(gw_question_reader *reader, gw_status status, int64_t before) GW_MUST_CHECK;
// Messages name the file, or a question of it.
gw_status gw_question_reader_at(gw_question_reader *reader, const char *question) GW_MUST_CHECK;
// Adds a question of the last context; its id may have been met.
gw_status gw_question_reader_add(gw_question_reader *reader, const char *id, const char *text) GW_MUST_CHECK;
// The questions of a set that is a list of objects.
typedef gw_status gw_question_item(gw_question_reader *reader, json_t *item);
gw_status gw_question_reader_list(const char *path, gw_questions *questions, gw_question_item *item) GW_MUST_CHECK;

// Whether a file's first bytes begin an object, or a list, and have a key.
bool gw_head_begins(const char *head, char bracket);
bool gw_head_has_key(const char *head, const char *key);

// --- rating --------------------------------------------------------------------------------------------------------

typedef struct {
    const char *const *sets; // [set_count] files with the expected answers; more than one where the set comes so
    int set_count;
    const char *predictions;
    const char *no_answer;      // SQuAD: probabilities that there is no answer, by id; NULL: none
    json_t *answers;            // at hand, borrowed, in the place of the predictions; NULL: none
    json_t *none;               // SQuAD: the same of the probabilities
    double no_answer_threshold; // above it "" is answered (SQuAD's script: 1)
} gw_qa_files;

enum { GW_QA_MOST_METRICS = 32 };
typedef struct {
    struct {
        const char *name;
        double value;
    } metric[GW_QA_MOST_METRICS];
    int count;
    int64_t questions; // of the set
    int64_t missing;   // of them without a prediction, which count as wrong
    int64_t others;    // predictions of ids that the set lacks, which count for nothing
    int64_t repeated;  // questions with the id of an earlier one, which are taken as the official script takes them
} gw_qa_rating;

void gw_qa_add(gw_qa_rating *rating, const char *name, double value);

// A field of an object that must be there and of that type; `where` (such as a question's id) and the file stand in
// the message. The value is borrowed.
gw_status gw_qa_field(const json_t *object, const char *path, const char *where, const char *key, json_type type,
                      json_t **out) GW_MUST_CHECK;
gw_status gw_qa_text(const json_t *object, const char *path, const char *where, const char *key,
                     const char **out) GW_MUST_CHECK;

// The set's only file, as JSON; an error where there are more.
gw_status gw_qa_one_set(const gw_qa_files *files, json_t **out) GW_MUST_CHECK;

// Predictions, which are a JSON object: those at hand (not NULL), or of a file.
gw_status gw_qa_object(json_t *at_hand, const char *path, json_t **out) GW_MUST_CHECK;

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
