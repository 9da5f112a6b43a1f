// SPDX-License-Identifier: MIT
// Questions about contexts, with the spans that answer them, as question sets of SQuAD's layout have them.
#ifndef GW_DATA_QUESTIONS_H
#define GW_DATA_QUESTIONS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    char *text; // UTF-8
    int64_t length;
    // Once it is encoded: its tokens, and the bytes that each covers
    int32_t *token;
    int64_t *begin, *end;
    int64_t tokens;
} gw_context;

typedef struct {
    char *text;
    int64_t begin, end; // bytes of the context; -1: it does not hold the text
} gw_expected_answer;

typedef struct {
    char *id, *text;
    int64_t context; // its number
    bool said;       // what answers it
    gw_expected_answer *answer;
    int64_t answers, answer_room; // none: the context does not answer it, or nobody says
} gw_question;

// Zero-initialise, and free.
typedef struct {
    gw_context *context;
    gw_question *question;
    int64_t contexts, count, context_room, question_room;
    bool unanswerable;  // some may have no answer, as in SQuAD 2.0
    int64_t moved;      // answers that stand elsewhere in their context than they are said to
    int64_t lost;       // and that their context does not hold
    int64_t repeated;   // questions with the id of an earlier one
    int64_t cut, empty; // questions that are cut, and those whose context has no word
} gw_questions;

void gw_questions_free(gw_questions *questions);

// Appends a context, of which the following questions are, and a question of the last context.
gw_status gw_questions_add_context(gw_questions *questions, const char *text) GW_MUST_CHECK;
gw_status gw_questions_add(gw_questions *questions, const char *id, const char *text) GW_MUST_CHECK;
// Appends an answer to the last question: a text that begins at a character of its context, from 0. Where another text
// stands there it is looked for, nearest first; blanks at its ends may go.
gw_status gw_questions_add_answer(gw_questions *questions, const char *text, int64_t character) GW_MUST_CHECK;

// How many characters stand before a byte.
int64_t gw_context_character(const gw_context *context, int64_t byte);

#endif
