// SPDX-License-Identifier: MIT
// Questions about contexts, with spans as answers, as in question sets of SQuAD's layout.
#ifndef GW_LANGUAGE_QUESTIONS_H
#define GW_LANGUAGE_QUESTIONS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// The meaning of the logits' columns for a set's windows: ends of answers, classes of an answer at the first token,
// scores of markers. In SQuAD's layout all values are 0: two ends.
typedef struct {
    int ends;           // 2: first and last token of an answer; 4: of a long answer, then of a short one
    int types;          // number of answer classes; 1 is yes, 2 is no
    bool marks;         // each part of the context has a marker before it, which is scored
    bool candidates;    // candidates precede the context, each with a marker behind it; one of them is right
    bool joined;        // all windows of a question are one example, with all right answers together
    int64_t most_words; // most words of an answer, by default; 0: counted in tokens
} gw_question_shape;
// Number of columns; 0: SQuAD's two.
int64_t gw_question_columns(const gw_question_shape *shape);
// Weight of the loss of each end: an example's loss is the mean over the ends, or their sum for joined windows.
double gw_question_end_weight(const gw_question_shape *shape);

// A part of a context: a sentence, or a possible long answer.
typedef struct {
    int64_t begin, end;  // bytes
    int64_t first, last; // numbers in the file
    char *name;          // or NULL
    bool right;          // is a supporting fact, or the long answer
} gw_context_part;

// A word of a context, with its number in the file.
typedef struct {
    int64_t begin, number; // byte
} gw_context_word;

typedef struct {
    char *text; // UTF-8
    int64_t length;
    gw_context_part *part; // [parts]
    gw_context_word *word; // [words], if the file numbers them
    int64_t parts, part_capacity, words, word_capacity;
    // After encoding: the tokens, the bytes that each covers (none: a marker), and the number of its word
    int32_t *token;
    int64_t *begin, *end;
    int32_t *word_of;
    int64_t tokens;
} gw_context;

typedef struct {
    char *text;
    int64_t context;
    int64_t begin, end; // bytes of the context; -1: the context does not have the text
} gw_expected_answer;

typedef struct {
    char *id, *text;
    int64_t context, contexts; // number of the first context, and the number of contexts
    bool said;                 // the answer is known
    gw_expected_answer *answer;
    int64_t answers, answer_capacity; // none: the context has no answer, or it is unknown
    int type;                         // class of its answer; -1: unknown
    char **candidate;
    int64_t candidates, candidate_capacity, right; // right: index of the right one; -1: unknown
} gw_question;

// Zero-initialise, and free.
typedef struct {
    gw_context *context;
    gw_question *question;
    int64_t contexts, count, context_capacity, question_capacity;
    gw_question_shape shape;
    bool unanswerable;  // questions may have no answer, as in SQuAD 2.0
    int64_t moved;      // answers at other positions of their context than the file says
    int64_t lost;       // answers that their context does not have
    int64_t repeated;   // questions with the id of an earlier one
    int64_t cut, empty; // cut questions, and questions with a context without words
} gw_questions;

void gw_questions_free(gw_questions *questions);

// add_context: appends a context for the following questions. add: appends a question about the last context.
gw_status gw_questions_add_context(gw_questions *questions, const char *text) GW_MUST_CHECK;
gw_status gw_questions_add(gw_questions *questions, const char *id, const char *text) GW_MUST_CHECK;
// Appends an answer to the last question: a text at a character of its context, from 0. If another text is there, the
// nearest occurrence is used; blanks at the ends of the answer may be removed.
gw_status gw_questions_add_answer(gw_questions *questions, const char *text, int64_t character) GW_MUST_CHECK;

// Further data of a format. For the last context: a part, with its name copied, and a word. For the last question: a
// span of one of its contexts that is an answer, and a candidate.
gw_status gw_questions_add_part(gw_questions *questions, gw_context_part part) GW_MUST_CHECK;
gw_status gw_questions_add_word(gw_questions *questions, gw_context_word word) GW_MUST_CHECK;
gw_status gw_questions_add_span(gw_questions *questions, int64_t context, int64_t begin, int64_t end) GW_MUST_CHECK;
gw_status gw_questions_add_candidate(gw_questions *questions, const char *text) GW_MUST_CHECK;

// The number of characters before a byte.
int64_t gw_context_character(const gw_context *context, int64_t byte);

// Labels for windows of question sets with named columns (gw_question_shape): tokens at the ends of answers, the class
// of the answer, markers.

typedef struct {
    int32_t column, token; // of the row, from 0
} gw_right_end;

typedef struct {
    int32_t token;  // of the row
    int32_t number; // of the part or candidate
    bool right;
} gw_marker;

// Labels of a set's rows, which are appended in order.
typedef struct {
    int64_t *end_start, *marker_start; // [rows + 1]
    gw_right_end *end;
    gw_marker *marker;
    int32_t *type;    // [rows] -1: unknown
    int64_t *example; // [examples + 1] first row of each example: a row, or all rows of a question
    int64_t rows, examples;
    int64_t end_start_capacity, marker_start_capacity, end_capacity, marker_capacity, type_capacity, example_capacity;
} gw_question_labels;

// A window of a question: tokens [from, from + tokens) of context number `context`. They begin at token `first` of the
// row.
typedef struct {
    int64_t question, context;
    int64_t first, tokens; // the context's tokens in the row
    int64_t from;          // index of the first of them in the context
} gw_window;

// The first and last token of a context that a byte range covers; last < first: none.
void gw_context_tokens(const gw_context *context, int64_t begin, int64_t end, int64_t *first, int64_t *last);

#endif
