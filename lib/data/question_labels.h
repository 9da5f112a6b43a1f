// SPDX-License-Identifier: MIT
// What is right in the windows of question sets whose logits have named columns (gw_question_shape): tokens at which
// answers begin and end, the class of the answer, markers.
#ifndef GW_DATA_QUESTION_LABELS_H
#define GW_DATA_QUESTION_LABELS_H

#include "data/questions.h"

typedef struct {
    int32_t column, token; // of the row, from 0
} gw_right_end;

typedef struct {
    int32_t token;  // of the row
    int32_t number; // of the part or candidate
    bool right;
} gw_marker;

// Of a set's rows, which are appended one by one. Zero-initialise, and free.
typedef struct {
    int64_t *end_start, *marker_start; // [rows + 1]
    gw_right_end *end;
    gw_marker *marker;
    int32_t *type;    // [rows] -1: unknown
    int64_t *example; // [examples + 1] first row of each: a row, or all of a question
    int64_t rows, examples;
    int64_t end_start_capacity, marker_start_capacity, end_capacity, marker_capacity, type_capacity, example_capacity;
} gw_question_labels;
void gw_question_labels_free(gw_question_labels *labels);

// A window of a question: the tokens [from, from + tokens) of its context `context`, which stand in the row from
// `first` on. Its markers in front (of candidates, at these tokens of the row; NULL: none) are as many as the
// candidates.
typedef struct {
    int64_t question, context;
    int64_t first, tokens; // of the row that are of the context
    int64_t from;          // the context's token that is the first of them
} gw_window;
gw_status gw_question_labels_add(gw_question_labels *labels, const gw_questions *questions, const gw_window *window,
                                 const int32_t *candidate_marker) GW_MUST_CHECK;
// Takes the last row out again.
void gw_question_labels_drop(gw_question_labels *labels);
// Whether a row holds an answer, or what else is right.
bool gw_question_labels_right(const gw_question_labels *labels, int64_t row);
// Ends an example with the rows that were added since the last one ended.
gw_status gw_question_labels_end_example(gw_question_labels *labels) GW_MUST_CHECK;

// First and last token of a context that a piece of it covers; last < first: none.
void gw_context_tokens(const gw_context *context, int64_t begin, int64_t end, int64_t *first, int64_t *last);

#endif
