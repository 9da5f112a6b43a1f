// SPDX-License-Identifier: MIT
// Keeps copies; an answer whose stated place is wrong is looked for in the whole context. Pieces of contexts become
// tokens of rows: a window without the answer has the first token as its ends, unless it is trained together with
// others of its question.
#include "language/questions.h"

#include "base/memory.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

int64_t gw_question_columns(const gw_question_shape *shape) {
    return shape->ends + shape->types + (shape->marks || shape->candidates);
}

double gw_question_end_weight(const gw_question_shape *shape) {
    return shape->joined ? 1 : 1 / (double)shape->ends;
}

void gw_questions_free(gw_questions *q) {
    for (int64_t i = 0; i < q->count; i++) {
        gw_question *question = &q->question[i];
        for (int64_t a = 0; a < question->answers; a++) free(question->answer[a].text);
        for (int64_t c = 0; c < question->candidates; c++) free(question->candidate[c]);
        free(question->candidate);
        free(question->answer);
        free(question->id);
        free(question->text);
    }
    for (int64_t i = 0; i < q->contexts; i++) {
        gw_context *context = &q->context[i];
        for (int64_t p = 0; p < context->parts; p++) free(context->part[p].name);
        free(context->part);
        free(context->word);
        free(context->word_of);
        free(context->text);
        free(context->token);
        free(context->begin);
        free(context->end);
    }
    free(q->question);
    free(q->context);
    *q = (gw_questions){0};
}

gw_status gw_questions_add_context(gw_questions *q, const char *text) {
    GW_TRY(gw_reserve(&q->context, &q->context_capacity, q->contexts + 1, sizeof *q->context));
    const gw_context context = {.text = gw_strdup(text), .length = (int64_t)strlen(text)};
    if (!context.text) return GW_ERR_MEMORY;
    q->context[q->contexts++] = context;
    return GW_OK;
}

gw_status gw_questions_add(gw_questions *q, const char *id, const char *text) {
    GW_TRY(gw_reserve(&q->question, &q->question_capacity, q->count + 1, sizeof *q->question));
    gw_question *question = &q->question[q->count++];
    *question = (gw_question){.id = gw_strdup(id),
                              .text = gw_strdup(text),
                              .context = q->contexts - 1,
                              .contexts = 1,
                              .type = -1,
                              .right = -1};
    return question->id && question->text ? GW_OK : GW_ERR_MEMORY;
}

static bool begins_character(char byte) {
    return ((unsigned char)byte & 0xC0) != 0x80;
}

int64_t gw_context_character(const gw_context *context, int64_t byte) {
    int64_t count = 0;
    for (int64_t i = 0; i < byte; i++) count += begins_character(context->text[i]);
    return count;
}

// The begin of the occurrence that is nearest to a byte; -1: there is none.
static int64_t nearest(const gw_context *context, const char *text, int64_t byte) {
    int64_t best = -1;
    for (const char *at = context->text; (at = strstr(at, text)) != NULL; at++) {
        const int64_t begin = at - context->text;
        if (best < 0 || llabs(begin - byte) < llabs(best - byte)) best = begin;
        if (begin >= byte) break;
    }
    return best;
}

gw_status gw_questions_add_answer(gw_questions *q, const char *text, int64_t character) {
    static const char blanks[] = " \t\r\n";
    gw_question *question = &q->question[q->count - 1];
    const gw_context *context = &q->context[question->context];
    GW_TRY(gw_reserve(&question->answer, &question->answer_capacity, question->answers + 1, sizeof *question->answer));
    // Looked for is the text without blanks at both ends, near where it is said to stand.
    const size_t front = strspn(text, blanks);
    size_t length = strlen(text + front);
    while (length > 0 && strchr(blanks, text[front + length - 1])) length--;
    int64_t stated = 0;
    for (int64_t left = character; stated < context->length; stated++)
        if (begins_character(context->text[stated]) && left-- == 0) break;
    stated += (int64_t)front;

    char *copy = gw_strdup(text), *core = gw_strndup(text + front, length);
    if (!copy || !core) {
        free(copy);
        free(core);
        return GW_ERR_MEMORY;
    }
    const int64_t begin = length > 0 ? nearest(context, core, stated) : -1;
    question->answer[question->answers++] =
        (gw_expected_answer){copy, question->context, begin, begin < 0 ? -1 : begin + (int64_t)length};
    q->moved += begin >= 0 && begin != stated;
    q->lost += begin < 0;
    free(core);
    return GW_OK;
}

gw_status gw_questions_add_part(gw_questions *q, gw_context_part part) {
    gw_context *context = &q->context[q->contexts - 1];
    GW_TRY(gw_reserve(&context->part, &context->part_capacity, context->parts + 1, sizeof part));
    if (part.name && !(part.name = gw_strdup(part.name))) return GW_ERR_MEMORY;
    context->part[context->parts++] = part;
    return GW_OK;
}

gw_status gw_questions_add_word(gw_questions *q, gw_context_word word) {
    gw_context *context = &q->context[q->contexts - 1];
    GW_TRY(gw_reserve(&context->word, &context->word_capacity, context->words + 1, sizeof word));
    context->word[context->words++] = word;
    return GW_OK;
}

gw_status gw_questions_add_span(gw_questions *q, int64_t context, int64_t begin, int64_t end) {
    gw_question *question = &q->question[q->count - 1];
    GW_TRY(gw_reserve(&question->answer, &question->answer_capacity, question->answers + 1, sizeof *question->answer));
    char *text = gw_strndup(q->context[context].text + begin, (size_t)(end - begin));
    if (!text) return GW_ERR_MEMORY;
    question->answer[question->answers++] = (gw_expected_answer){text, context, begin, end};
    return GW_OK;
}

gw_status gw_questions_add_candidate(gw_questions *q, const char *text) {
    gw_question *question = &q->question[q->count - 1];
    GW_TRY(gw_reserve(&question->candidate, &question->candidate_capacity, question->candidates + 1,
                      sizeof *question->candidate));
    if (!(question->candidate[question->candidates] = gw_strdup(text))) return GW_ERR_MEMORY;
    question->candidates++;
    return GW_OK;
}

// --- what is right in windows ----------------------------------------------------------------------------------------

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
    *first = GW_FIRST_NOT(t, context->tokens, context->end[t] <= begin);
    while (*first < context->tokens && context->begin[*first] == context->end[*first]) ++*first;
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

gw_status gw_question_labels_add(gw_question_labels *l, const gw_questions *q, const gw_window *w,
                                 const int32_t *candidate_marker) {
    const gw_question_shape *shape = &q->shape;
    const gw_question *question = &q->question[w->question];
    bool long_held = true, held = true;
    GW_TRY(gw_reserve(&l->end_start, &l->end_start_capacity, l->rows + 2, sizeof *l->end_start));
    GW_TRY(gw_reserve(&l->marker_start, &l->marker_start_capacity, l->rows + 2, sizeof *l->marker_start));
    GW_TRY(gw_reserve(&l->type, &l->type_capacity, l->rows + 1, sizeof *l->type));
    if (l->rows == 0) l->end_start[0] = l->marker_start[0] = 0;
    l->end_start[l->rows + 1] = l->end_start[l->rows];
    l->marker_start[l->rows + 1] = l->marker_start[l->rows];
    if (shape->ends == 4 && question->said) GW_TRY(add_long_answer(l, q, w, &long_held));
    if (shape->ends > 0 && question->said) GW_TRY(add_answers(l, q, w, shape->ends - 2, &held));
    if (shape->marks) GW_TRY(add_markers(l, &q->context[w->context], w));
    for (int64_t c = 0; shape->candidates && c < question->candidates; c++)
        GW_TRY(add_marker(l, (gw_marker){candidate_marker[c], (int32_t)c, c == question->right}));
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
