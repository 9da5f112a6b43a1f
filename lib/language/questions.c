// SPDX-License-Identifier: MIT
// Stores copies. An answer that is not at its given position is looked for in the whole context.
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

// Tokens of a context lie in the order of their bytes.
void gw_context_tokens(const gw_context *context, int64_t begin, int64_t end, int64_t *first, int64_t *last) {
    *first = GW_FIRST_NOT(t, context->tokens, context->end[t] <= begin);
    while (*first < context->tokens && context->begin[*first] == context->end[*first]) ++*first;
    for (*last = *first - 1; *last + 1 < context->tokens && context->begin[*last + 1] < end;) ++*last;
    while (*last >= *first && context->begin[*last] == context->end[*last]) --*last;
}
