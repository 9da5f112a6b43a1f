// SPDX-License-Identifier: MIT
// Keeps a short sorted list for each question.
#include "language/question_answers.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gw_status gw_question_answers_begin(gw_question_answers *a) {
    const int64_t questions = a->set->questions.count;
    gw_question_answers_free(a);
    a->best = gw_alloc(questions * a->most, sizeof *a->best);
    a->found = gw_alloc(questions, sizeof *a->found);
    a->none = gw_alloc(questions, sizeof *a->none);
    for (int64_t q = 0; a->none && q < questions; q++) a->none[q] = INFINITY;
    if (!a->best || !a->found || !a->none) return GW_ERR_MEMORY;
    const gw_questions *q = &a->set->questions;
    if (gw_question_columns(&q->shape) == 0) return GW_OK;
    a->column = gw_alloc(q->count, sizeof *a->column);
    if (!a->column) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < q->count; i++) {
        const int64_t marks = q->shape.candidates ? q->question[i].candidates
                              : q->shape.marks    ? q->context[q->question[i].context].parts
                                                  : 0;
        a->column[i] = (gw_found_columns){.part = -1, .mark = gw_alloc(marks + 1, sizeof(float)), .marks = marks};
        if (!a->column[i].mark) return GW_ERR_MEMORY;
        for (int64_t m = 0; m < marks; m++) a->column[i].mark[m] = -INFINITY;
    }
    return GW_OK;
}

void gw_question_answers_free(gw_question_answers *a) {
    for (int64_t q = 0; a->column && q < a->set->questions.count; q++) free(a->column[q].mark);
    free(a->column);
    free(a->best);
    free(a->found);
    free(a->none);
    a->column = NULL;
    a->best = NULL;
    a->found = NULL;
    a->none = NULL;
}

static bool same_span(const gw_found_answer *a, const gw_found_answer *b) {
    return a->context == b->context && a->begin == b->begin && a->end == b->end;
}

// Puts an answer into its place, unless there are `most` better ones or the same span with a better score.
static void insert(gw_question_answers *a, int64_t question, gw_found_answer answer) {
    gw_found_answer *best = a->best + question * a->most;
    int64_t at = 0, count = a->found[question], same;
    while (at < count && best[at].score >= answer.score) {
        if (same_span(&best[at], &answer)) return;
        at++;
    }
    if (at == a->most) return;
    for (same = at; same < count; same++)
        if (same_span(&best[same], &answer)) break;
    if (same == count && count < a->most) a->found[question]++;
    if (same == a->most) same--;
    memmove(best + at + 1, best + at, (size_t)(same - at) * sizeof *best);
    best[at] = answer;
}

// A row's logits and where they stand.
typedef struct {
    const gw_window *window;
    const gw_context *context;
    const float *z;  // of the row's first token
    const float *of; // of the context's first token in the window
    int64_t columns;
    int start; // column of the first token of an answer
} row_logits;

static double sum_of(const row_logits *r, int64_t first, int64_t last) {
    return (double)r->of[r->columns * first + r->start] + (double)r->of[r->columns * last + r->start + 1];
}

static bool is_marker(const row_logits *r, int64_t t) {
    return r->context->begin[r->window->from + t] == r->context->end[r->window->from + t];
}

// Whether an answer from token `first` may go on to `last`.
static bool reaches(const gw_text_set *set, const row_logits *r, int64_t first, int64_t last) {
    if (last >= r->window->tokens) return false;
    if (set->questions.shape.most_words == 0) return last < first + set->longest_answer;
    const int32_t *word = r->context->word_of + r->window->from;
    return word[last] - word[first] < set->longest_answer;
}

static gw_found_answer answer_at(const row_logits *r, int64_t first, int64_t last) {
    return (gw_found_answer){r->window->context, r->context->begin[r->window->from + first],
                             r->context->end[r->window->from + last], sum_of(r, first, last)};
}

static void try_all(gw_question_answers *a, const row_logits *r) {
    for (int64_t i = 0; i < r->window->tokens; i++)
        for (int64_t j = i; !is_marker(r, i) && reaches(a->set, r, i, j); j++)
            if (!is_marker(r, j)) insert(a, r->window->question, answer_at(r, i, j));
}

// The first token with the largest logit, and then the last one.
static void try_first(gw_question_answers *a, const row_logits *r) {
    int64_t first = 0, last;
    for (int64_t i = 1; i < r->window->tokens; i++)
        if (r->of[r->columns * i + r->start] > r->of[r->columns * first + r->start]) first = i;
    last = first;
    for (int64_t j = first; reaches(a->set, r, first, j); j++)
        if (sum_of(r, first, j) > sum_of(r, first, last)) last = j;
    insert(a, r->window->question, answer_at(r, first, last));
}

static double first_token(const row_logits *r, int start) {
    return (double)r->z[start] + (double)r->z[start + 1];
}

static void take_types(const gw_text_set *set, const row_logits *r, gw_found_columns *out) {
    const gw_question_shape *shape = &set->questions.shape;
    for (int t = 0; t < shape->types; t++) out->type[t] = r->z[shape->ends + t];
}

// Of what may be long answers that which begins at the token with the largest logit, and of those that do the one whose
// end has.
static void try_parts(const gw_text_set *set, const row_logits *r, gw_found_columns *out) {
    const gw_window *w = r->window;
    int64_t best = -1, best_first = 0, best_last = 0, first, last;
    for (int64_t p = 0; p < r->context->parts; p++) {
        gw_context_tokens(r->context, r->context->part[p].begin, r->context->part[p].end, &first, &last);
        first -= w->from;
        last -= w->from;
        if (first > last || first < 0 || last >= w->tokens) continue;
        const float more = best < 0 ? 1 : r->of[r->columns * first] - r->of[r->columns * best_first];
        const bool begins = first != best_first && more > 0,
                   ends = first == best_first && r->of[r->columns * last + 1] > r->of[r->columns * best_last + 1];
        if (best >= 0 && !begins && !ends) continue;
        best = p;
        best_first = first;
        best_last = last;
    }
    if (best < 0) return;
    const double score = (double)r->of[r->columns * best_first] + (double)r->of[r->columns * best_last + 1];
    const double none = first_token(r, 0);
    if (out->part >= 0 && score - none <= out->part_score - out->part_none) return;
    out->part = best;
    out->part_score = score;
    out->part_none = none;
    take_types(set, r, out);
}

static void take_columns(gw_question_answers *a, int64_t row, row_logits *r) {
    const gw_question_shape *shape = &a->set->questions.shape;
    gw_found_columns *column = &a->column[r->window->question];
    const int64_t question = r->window->question;
    const double before = a->found[question] > 0 ? a->best[question * a->most].score : -INFINITY;
    r->start = shape->ends - 2;
    if (shape->ends == 4) try_first(a, r);
    else if (shape->ends > 0) try_all(a, r);
    const bool better = a->found[question] > 0 && a->best[question * a->most].score > before;
    if (better) column->none = first_token(r, r->start);
    if (better && (shape->ends == 2 || column->part < 0)) take_types(a->set, r, column);
    if (shape->ends == 4) try_parts(a->set, r, column);
    const gw_question_labels *l = &a->set->right;
    for (int64_t i = l->marker_start[row]; i < l->marker_start[row + 1]; i++) {
        float *mark = &column->mark[l->marker[i].number];
        *mark = fmaxf(*mark, r->z[r->columns * l->marker[i].token + r->columns - 1]);
    }
}

void gw_question_answers_add(gw_question_answers *a, int64_t row, const float *z) {
    const gw_window *window = &a->set->window[row];
    const int64_t columns = gw_question_columns(&a->set->questions.shape);
    row_logits r = {.window = window,
                    .context = &a->set->questions.context[window->context],
                    .z = z,
                    .columns = columns > 0      ? columns
                               : a->columns > 0 ? a->columns
                                                : 2,
                    .start = a->start};
    r.of = z + r.columns * window->first;
    if (columns == 0) try_all(a, &r);
    else take_columns(a, row, &r);
    if (columns == 0 || a->set->questions.shape.ends > 0)
        a->none[window->question] = fmin(a->none[window->question], first_token(&r, r.start));
}

double gw_question_answers_none(const gw_question_answers *a, int64_t question) {
    return a->found[question] > 0 ? a->none[question] - a->best[question * a->most].score : 0;
}

void gw_question_answers_text(const gw_question_answers *a, int64_t question, int64_t rank, gw_string *out) {
    if (rank >= a->found[question]) return;
    const gw_found_answer *answer = &a->best[question * a->most + rank];
    const gw_context *context = &a->set->questions.context[answer->context];
    gw_string_append(out, context->text + answer->begin, answer->end - answer->begin);
}

int gw_question_answers_type(const gw_question_answers *a, int64_t question) {
    const int types = a->set->questions.shape.types;
    int best = types > 0 ? 0 : -1;
    for (int t = 1; t < types; t++)
        if (a->column[question].type[t] > a->column[question].type[best]) best = t;
    return best;
}

int64_t gw_question_answers_candidate(const gw_question_answers *a, int64_t question) {
    const gw_found_columns *column = a->column ? &a->column[question] : NULL;
    if (!a->set->questions.shape.candidates || column->marks == 0) return -1;
    int64_t best = 0;
    for (int64_t c = 1; c < column->marks; c++)
        if (column->mark[c] > column->mark[best]) best = c;
    return best;
}

const char *gw_question_answers_word(const gw_question_answers *a, int64_t question) {
    const int type = gw_question_answers_type(a, question);
    const int64_t candidate = gw_question_answers_candidate(a, question);
    if (candidate >= 0) return a->set->questions.question[question].candidate[candidate];
    return type == 1 ? "yes" : type == 2 ? "no" : NULL;
}
