// SPDX-License-Identifier: MIT
// Functions that the formats of question sets share. For readers: their position in a file, ids, and how a file begins.
// For metrics: fields, predictions and right answers.
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
    json_t *ids;     // ids so far
    gw_string where; // for messages: the file, and the question
} gw_question_reader;

gw_status gw_question_reader_begin(gw_question_reader *reader, const char *path, gw_questions *questions) GW_MUST_CHECK;
// Releases the reader. Fails if no question was read.
gw_status gw_question_reader_end(gw_question_reader *reader, gw_status status, int64_t before) GW_MUST_CHECK;
// Sets the place for messages: the file, or a question in it.
gw_status gw_question_reader_at(gw_question_reader *reader, const char *question) GW_MUST_CHECK;
// Adds a question about the last context. Its id may be repeated.
gw_status gw_question_reader_add(gw_question_reader *reader, const char *id, const char *text) GW_MUST_CHECK;
// Reads the questions of a set that is a list of objects.
typedef gw_status gw_question_item(gw_question_reader *reader, json_t *item);
gw_status gw_question_reader_list(const char *path, gw_questions *questions, gw_question_item *item) GW_MUST_CHECK;

// Whether a file's first bytes begin an object or a list; and whether they have a key.
bool gw_head_begins(const char *head, char bracket);
bool gw_head_has_key(const char *head, const char *key);

// --- metrics ---------------------------------------------------------------------------------------------------------

typedef struct {
    const char *const *sets; // [set_count] files with the expected answers; some sets have more than one
    int set_count;
    const char *predictions;
    const char *no_answer;      // SQuAD: probabilities that there is no answer, by id; NULL: none
    json_t *answers;            // predictions in memory, borrowed, instead of the file; NULL: none
    json_t *none;               // SQuAD: the probabilities in memory
    double no_answer_threshold; // the answer is "" above it (SQuAD's script: 1)
} gw_qa_files;

enum { GW_QA_MOST_METRICS = 32 };
typedef struct {
    struct {
        const char *name;
        double value;
    } metric[GW_QA_MOST_METRICS];
    int count;
    int64_t questions; // of the set
    int64_t missing;   // questions without a prediction, which count as wrong
    int64_t others;    // predictions with unknown ids, which are ignored
    int64_t repeated;  // questions with the id of an earlier one, treated as in the official script
} gw_qa_rating;

void gw_qa_add(gw_qa_rating *rating, const char *name, double value);

// Finds a required field of an object, of this type. The error message has the file and `where` (such as a question's
// id). *out is borrowed.
gw_status gw_qa_field(const json_t *object, const char *path, const char *where, const char *key, json_type type,
                      json_t **out) GW_MUST_CHECK;
gw_status gw_qa_text(const json_t *object, const char *path, const char *where, const char *key,
                     const char **out) GW_MUST_CHECK;

// Reads the set's only file as JSON; an error if there are more.
gw_status gw_qa_one_set(const gw_qa_files *files, json_t **out) GW_MUST_CHECK;

// Predictions as a JSON object: those in memory (not NULL), or those of a file.
gw_status gw_qa_object(json_t *at_hand, const char *path, json_t **out) GW_MUST_CHECK;

// Finds the predicted answer to a question; "" if there is none. `answers` maps ids to texts.
gw_status gw_qa_predicted(const json_t *answers, const char *path, const char *id, bool *found,
                          const char **out) GW_MUST_CHECK;

// Right answers, in normal form.
typedef struct {
    char **answer; // [count]
    int64_t count, capacity;
} gw_qa_answers;
gw_status gw_qa_answers_add(gw_qa_answers *answers, const char *text, gw_answer_rule rule) GW_MUST_CHECK;
void gw_qa_answers_free(gw_qa_answers *answers);
// The best value of each metric over all right answers; there must be at least one.
gw_status gw_qa_answers_match(const gw_qa_answers *answers, const char *found, gw_answer_rule rule,
                              gw_answer_match *best) GW_MUST_CHECK;

#endif
