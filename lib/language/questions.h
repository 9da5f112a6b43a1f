// SPDX-License-Identifier: MIT
// Questions about contexts, with the spans that answer them, as question sets of SQuAD's layout have them.
#ifndef GW_LANGUAGE_QUESTIONS_H
#define GW_LANGUAGE_QUESTIONS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// What the logits of a set's windows stand for, by their columns: ends of answers, classes of an answer at the first
// token, metrics of markers. Of sets in SQuAD's layout it is all 0: two ends.
typedef struct {
    int ends;           // 2: first and last token of an answer; 4: of a long one, then of a short one
    int types;          // classes of an answer, that of yes and that of no being numbers 1 and 2
    bool marks;         // a marker stands before each part of the context, and is rated
    bool candidates;    // one stands behind each candidate, which stand before the context, and one of them is right
    bool joined;        // a question's windows are one example, in which all its answers are right together
    int64_t most_words; // of an answer, where nothing else is asked for; 0: counted in tokens
} gw_question_shape;
// Columns in all; 0: SQuAD's two.
int64_t gw_question_columns(const gw_question_shape *shape);
// What the loss of each end counts: the ends' mean is an example's loss, and the sum where its windows are joined.
double gw_question_end_weight(const gw_question_shape *shape);

// A part of a context: a sentence, or what may be a long answer.
typedef struct {
    int64_t begin, end;  // bytes
    int64_t first, last; // its numbers in the file
    char *name;          // or NULL
    bool right;          // is a supporting fact, or the long answer
} gw_context_part;

// A word of a context, as the file numbers it.
typedef struct {
    int64_t begin, number; // byte
} gw_context_word;

typedef struct {
    char *text; // UTF-8
    int64_t length;
    gw_context_part *part; // [parts]
    gw_context_word *word; // [words], where the file numbers them
    int64_t parts, part_capacity, words, word_capacity;
    // Once it is encoded: its tokens, and the bytes that each covers (none: a marker), and the number of its word
    int32_t *token;
    int64_t *begin, *end;
    int32_t *word_of;
    int64_t tokens;
} gw_context;

typedef struct {
    char *text;
    int64_t context;
    int64_t begin, end; // bytes of the context; -1: it does not hold the text
} gw_expected_answer;

typedef struct {
    char *id, *text;
    int64_t context, contexts; // the first one's number, and how many
    bool said;                 // what answers it
    gw_expected_answer *answer;
    int64_t answers, answer_capacity; // none: the context does not answer it, or nobody says
    int type;                         // class of its answer; -1: unknown
    char **candidate;
    int64_t candidates, candidate_capacity, right; // right: which one; -1: unknown
} gw_question;

// Zero-initialise, and free.
typedef struct {
    gw_context *context;
    gw_question *question;
    int64_t contexts, count, context_capacity, question_capacity;
    gw_question_shape shape;
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

// What a format adds to the last context: a part, whose name is copied, and a word; and to the last question: a span of
// one of its contexts that answers it, and a candidate.
gw_status gw_questions_add_part(gw_questions *questions, gw_context_part part) GW_MUST_CHECK;
gw_status gw_questions_add_word(gw_questions *questions, gw_context_word word) GW_MUST_CHECK;
gw_status gw_questions_add_span(gw_questions *questions, int64_t context, int64_t begin, int64_t end) GW_MUST_CHECK;
gw_status gw_questions_add_candidate(gw_questions *questions, const char *text) GW_MUST_CHECK;

// How many characters stand before a byte.
int64_t gw_context_character(const gw_context *context, int64_t byte);

// What is right in the windows of question sets whose logits have named columns (gw_question_shape):
// tokens at which answers begin and end, the class of the answer, markers.

typedef struct {
    int32_t column, token; // of the row, from 0
} gw_right_end;

typedef struct {
    int32_t token;  // of the row
    int32_t number; // of the part or candidate
    bool right;
} gw_marker;

// Of a set's rows, which are appended one by one.
typedef struct {
    int64_t *end_start, *marker_start; // [rows + 1]
    gw_right_end *end;
    gw_marker *marker;
    int32_t *type;    // [rows] -1: unknown
    int64_t *example; // [examples + 1] first row of each: a row, or all of a question
    int64_t rows, examples;
    int64_t end_start_capacity, marker_start_capacity, end_capacity, marker_capacity, type_capacity, example_capacity;
} gw_question_labels;

// A window of a question: the tokens [from, from + tokens) of its context `context`, which stand in the row from
// `first` on.
typedef struct {
    int64_t question, context;
    int64_t first, tokens; // of the row that are of the context
    int64_t from;          // the context's token that is the first of them
} gw_window;

// First and last token of a context that a piece of it covers; last < first: none.
void gw_context_tokens(const gw_context *context, int64_t begin, int64_t end, int64_t *first, int64_t *last);

#endif
