// SPDX-License-Identifier: MIT
// Keeps copies; an answer whose stated place is wrong is looked for in the whole context.
#include "language/questions.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void free_question(gw_question *question) {
    for (int64_t a = 0; a < question->answers; a++) free(question->answer[a].text);
    for (int64_t c = 0; c < question->candidates; c++) free(question->candidate[c]);
    free(question->candidate);
    free(question->answer);
    free(question->id);
    free(question->text);
}

static void free_context(gw_context *context) {
    for (int64_t p = 0; p < context->parts; p++) free(context->part[p].name);
    free(context->part);
    free(context->word);
    free(context->word_of);
    free(context->text);
    free(context->token);
    free(context->begin);
    free(context->end);
}

void gw_questions_free(gw_questions *q) {
    for (int64_t i = 0; i < q->count; i++) free_question(&q->question[i]);
    for (int64_t i = 0; i < q->contexts; i++) free_context(&q->context[i]);
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

// Where a character begins; the end of the context where it has fewer.
static int64_t byte_of(const gw_context *context, int64_t character) {
    for (int64_t i = 0; i < context->length; i++)
        if (begins_character(context->text[i]) && character-- == 0) return i;
    return context->length;
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

// Without blanks at both ends.
static char *trimmed(const char *text) {
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    size_t length = strlen(text);
    while (length > 0 && strchr(blanks, text[length - 1])) length--;
    return gw_strndup(text, length);
}

gw_status gw_questions_add_answer(gw_questions *q, const char *text, int64_t character) {
    gw_question *question = &q->question[q->count - 1];
    const gw_context *context = &q->context[question->context];
    GW_TRY(gw_reserve(&question->answer, &question->answer_capacity, question->answers + 1, sizeof *question->answer));
    char *copy = gw_strdup(text), *core = trimmed(text);
    if (!copy || !core) {
        free(copy);
        free(core);
        return GW_ERR_MEMORY;
    }
    const int64_t blanks = (int64_t)strspn(text, " \t\r\n"), length = (int64_t)strlen(core);
    const int64_t stated = byte_of(context, character) + blanks;
    const int64_t begin = length > 0 ? nearest(context, core, stated) : -1;
    question->answer[question->answers++] =
        (gw_expected_answer){copy, question->context, begin, begin < 0 ? -1 : begin + length};
    q->moved += begin >= 0 && begin != stated;
    q->lost += begin < 0;
    free(core);
    return GW_OK;
}

int64_t gw_question_columns(const gw_question_shape *shape) {
    return shape->ends + shape->types + (shape->marks || shape->candidates);
}

double gw_question_end_weight(const gw_question_shape *shape) {
    return shape->joined ? 1 : 1 / (double)shape->ends;
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
