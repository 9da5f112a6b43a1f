// SPDX-License-Identifier: MIT
// What the readers of question sets share: their place in a file for messages, ids, and how a file begins.
#ifndef GW_LANGUAGE_QUESTIONS_QUESTION_READER_H
#define GW_LANGUAGE_QUESTIONS_QUESTION_READER_H

#include "base/json.h"
#include "base/string.h"
#include "file/json_file.h"
#include "language/questions.h"

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

#endif
