// SPDX-License-Identifier: MIT
// Pieces of contexts become tokens of rows. A window without the answer has the first token as its ends, unless it is
// trained together with others of its question.
#include "language/text_set.h"

#include "base/memory.h"

#include <stdlib.h>

void gw_question_labels_free(gw_question_labels *l) {
    free(l->end_start);
    free(l->marker_start);
    free(l->end);
    free(l->marker);
    free(l->type);
    free(l->example);
    *l = (gw_question_labels){0};
}

// Tokens of a context lie in the order of their bytes.
void gw_context_tokens(const gw_context *context, int64_t begin, int64_t end, int64_t *first, int64_t *last) {
    int64_t low = 0, high = context->tokens;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (context->end[middle] <= begin) low = middle + 1;
        else high = middle;
    }
    for (*first = low; *first < context->tokens && context->begin[*first] == context->end[*first];) ++*first;
    for (*last = *first - 1; *last + 1 < context->tokens && context->begin[*last + 1] < end;) ++*last;
    while (*last >= *first && context->begin[*last] == context->end[*last]) --*last;
}

static gw_status add_end(gw_question_labels *l, int column, int64_t token) {
    int64_t *count = &l->end_start[l->rows + 1];
    GW_TRY(gw_reserve(&l->end, &l->end_capacity, *count + 1, sizeof *l->end));
    l->end[(*count)++] = (gw_right_end){(int32_t)column, (int32_t)token};
    return GW_OK;
}

// Both ends of a piece of the context, where the window holds all of it.
static gw_status add_piece(gw_question_labels *l, const gw_context *context, const gw_window *w, int column,
                           int64_t begin, int64_t end, bool *held) {
    int64_t first, last;
    gw_context_tokens(context, begin, end, &first, &last);
    *held = first <= last && first >= w->from && last < w->from + w->tokens;
    if (!*held) return GW_OK;
    GW_TRY(add_end(l, column, w->first + first - w->from));
    return add_end(l, column + 1, w->first + last - w->from);
}

static gw_status add_nothing(gw_question_labels *l, int column) {
    GW_TRY(add_end(l, column, 0));
    return add_end(l, column + 1, 0);
}

static gw_status add_answers(gw_question_labels *l, const gw_questions *q, const gw_window *w, int column,
                             bool *answered) {
    const gw_question *question = &q->question[w->question];
    bool found = false, lost = question->answers > 0, held;
    *answered = false;
    for (int64_t a = 0; a < question->answers && (q->shape.joined || !*answered); a++) {
        const gw_expected_answer *answer = &question->answer[a];
        found = found || answer->begin >= 0;
        if (answer->begin < 0 || answer->context != w->context) continue;
        GW_TRY(add_piece(l, &q->context[w->context], w, column, answer->begin, answer->end, &held));
        *answered = *answered || held;
        if (!q->shape.joined) break;
    }
    lost = lost && !found;
    const bool of_words = question->type == 1 || question->type == 2; // yes and no are no spans
    return *answered || lost || q->shape.joined || (of_words && q->shape.ends == 2) ? GW_OK : add_nothing(l, column);
}

static gw_status add_long_answer(gw_question_labels *l, const gw_questions *q, const gw_window *w, bool *answered) {
    const gw_context *context = &q->context[w->context];
    *answered = false;
    for (int64_t p = 0; p < context->parts && !*answered; p++)
        if (context->part[p].right)
            GW_TRY(add_piece(l, context, w, 0, context->part[p].begin, context->part[p].end, answered));
    return *answered ? GW_OK : add_nothing(l, 0);
}

static gw_status add_marker(gw_question_labels *l, gw_marker marker) {
    int64_t *count = &l->marker_start[l->rows + 1];
    GW_TRY(gw_reserve(&l->marker, &l->marker_capacity, *count + 1, sizeof marker));
    l->marker[(*count)++] = marker;
    return GW_OK;
}

// Markers of a context are the tokens that cover nothing, one for each part in their order.
static gw_status add_markers(gw_question_labels *l, const gw_context *context, const gw_window *w) {
    int32_t number = 0;
    for (int64_t t = 0; t < w->from + w->tokens; t++) {
        if (context->begin[t] < context->end[t]) continue;
        if (t >= w->from)
            GW_TRY(add_marker(l, (gw_marker){(int32_t)(w->first + t - w->from), number, context->part[number].right}));
        number++;
    }
    return GW_OK;
}

static gw_status add_candidates(gw_question_labels *l, const gw_question *question, const int32_t *token) {
    for (int64_t c = 0; c < question->candidates; c++)
        GW_TRY(add_marker(l, (gw_marker){token[c], (int32_t)c, c == question->right}));
    return GW_OK;
}

static gw_status reserve(gw_question_labels *l) {
    GW_TRY(gw_reserve(&l->end_start, &l->end_start_capacity, l->rows + 2, sizeof *l->end_start));
    GW_TRY(gw_reserve(&l->marker_start, &l->marker_start_capacity, l->rows + 2, sizeof *l->marker_start));
    GW_TRY(gw_reserve(&l->type, &l->type_capacity, l->rows + 1, sizeof *l->type));
    if (l->rows == 0) l->end_start[0] = l->marker_start[0] = 0;
    l->end_start[l->rows + 1] = l->end_start[l->rows];
    l->marker_start[l->rows + 1] = l->marker_start[l->rows];
    return GW_OK;
}

gw_status gw_question_labels_add(gw_question_labels *l, const gw_questions *q, const gw_window *w,
                                 const int32_t *candidate_marker) {
    const gw_question_shape *shape = &q->shape;
    const gw_question *question = &q->question[w->question];
    bool long_held = true, held = true;
    GW_TRY(reserve(l));
    if (shape->ends == 4 && question->said) GW_TRY(add_long_answer(l, q, w, &long_held));
    if (shape->ends > 0 && question->said) GW_TRY(add_answers(l, q, w, shape->ends - 2, &held));
    if (shape->marks) GW_TRY(add_markers(l, &q->context[w->context], w));
    if (shape->candidates) GW_TRY(add_candidates(l, question, candidate_marker));
    l->type[l->rows] = question->said && !long_held ? 0 : question->type;
    l->rows++;
    return GW_OK;
}

void gw_question_labels_drop(gw_question_labels *l) {
    l->rows--;
}

bool gw_question_labels_right(const gw_question_labels *l, int64_t row) {
    bool right = l->type[row] > 0;
    for (int64_t i = l->end_start[row]; i < l->end_start[row + 1]; i++) right = right || l->end[i].token > 0;
    for (int64_t i = l->marker_start[row]; i < l->marker_start[row + 1]; i++) right = right || l->marker[i].right;
    return right;
}

gw_status gw_question_labels_end_example(gw_question_labels *l) {
    GW_TRY(gw_reserve(&l->example, &l->example_capacity, l->examples + 2, sizeof *l->example));
    if (l->examples == 0) l->example[0] = 0;
    if (l->example[l->examples] == l->rows) return GW_OK; // all of it was left out
    l->example[++l->examples] = l->rows;
    return GW_OK;
}
