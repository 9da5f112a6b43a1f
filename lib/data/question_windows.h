// SPDX-License-Identifier: MIT
// Question sets as windows over their contexts: [CLS] question [SEP] a part of the context [SEP], part by part.
#ifndef GW_DATA_QUESTION_WINDOWS_H
#define GW_DATA_QUESTION_WINDOWS_H

#include "data/text_set.h"

// A context is split into words at white space, and each token covers bytes of it: those that it spells, or, where it
// spells others than the context (accents that were taken off), the whole word.
//
// Takes the questions, also on failure. Labels are the first answer that the context holds: its tokens where the window
// holds all of it, else the first token of the row; so where there is no answer though there may be none; -1 where
// nobody says. A question without room for a word of the context is an error that names it.
gw_status gw_question_windows(gw_questions *questions, const gw_tokenizer *tokenizer, const gw_text_options *options,
                              gw_text_set *out) GW_MUST_CHECK;

// Files in the layout of SQuAD 1.1 and 2.0: {"data": [{"paragraphs": [{"context", "qas": [{"id", "question", "answers":
// [{"text", "answer_start"}]}]}]}]}; ids may be numbers. What is wrong in one is said with its question.
gw_status gw_questions_read(const char *path, gw_questions *questions) GW_MUST_CHECK;
gw_status gw_question_set_read(const char *const *paths, int count, const gw_tokenizer *tokenizer,
                               const gw_text_options *options, gw_text_set *out) GW_MUST_CHECK;
// Whether a file begins as such a set does: an object whose first keys are "version", "data" ...; not a table.
bool gw_is_question_set(const char *path);

#endif
