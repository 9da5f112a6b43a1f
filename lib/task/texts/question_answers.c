// SPDX-License-Identifier: MIT
// Keeps short sorted lists, one a question.
#include "task/texts/question_answers.h"

#include "base/memory.h"
#include "text/answers.h"

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
    return a->best && a->found && a->none ? GW_OK : GW_ERR_MEMORY;
}

void gw_question_answers_free(gw_question_answers *a) {
    free(a->best);
    free(a->found);
    free(a->none);
    a->best = NULL;
    a->found = NULL;
    a->none = NULL;
}

// Puts an answer into its place, unless there are `most` better ones or the same span with a better score.
static void insert(gw_question_answers *a, int64_t question, gw_found_answer answer) {
    gw_found_answer *best = a->best + question * a->most;
    int64_t at = 0, count = a->found[question], same;
    while (at < count && best[at].score >= answer.score) {
        if (best[at].begin == answer.begin && best[at].end == answer.end) return;
        at++;
    }
    if (at == a->most) return;
    for (same = at; same < count; same++)
        if (best[same].begin == answer.begin && best[same].end == answer.end) break;
    if (same == count && count < a->most) a->found[question]++;
    if (same == a->most) same--;
    memmove(best + at + 1, best + at, (size_t)(same - at) * sizeof *best);
    best[at] = answer;
}

void gw_question_answers_add(gw_question_answers *a, int64_t row, const float *z) {
    const gw_window *window = &a->set->window[row];
    const gw_context *context = &a->set->questions.context[a->set->questions.question[window->question].context];
    const int64_t *begin = context->begin + window->from, *end = context->end + window->from;
    const float *of = z + 2 * window->first;
    a->none[window->question] = fmin(a->none[window->question], (double)z[0] + (double)z[1]);
    for (int64_t i = 0; i < window->tokens; i++)
        for (int64_t j = i; j < window->tokens && j < i + a->set->longest_answer; j++)
            insert(a, window->question, (gw_found_answer){begin[i], end[j], (double)of[2 * i] + (double)of[2 * j + 1]});
}

double gw_question_answers_none(const gw_question_answers *a, int64_t question) {
    return a->found[question] > 0 ? a->none[question] - a->best[question * a->most].score : 0;
}

void gw_question_answers_text(const gw_question_answers *a, int64_t question, int64_t rank, gw_string *out) {
    const gw_context *context = &a->set->questions.context[a->set->questions.question[question].context];
    if (rank >= a->found[question]) return;
    const gw_found_answer *answer = &a->best[question * a->most + rank];
    gw_string_append(out, context->text + answer->begin, answer->end - answer->begin);
}

static gw_status rate(const gw_question *question, const char *found, gw_answer_match *best) {
    gw_answer_match match;
    *best = (gw_answer_match){0};
    if (question->answers == 0) return gw_answer_compare(found, "", best);
    for (int64_t i = 0; i < question->answers; i++) {
        GW_TRY(gw_answer_compare(found, question->answer[i].text, &match));
        best->exact = fmax(best->exact, match.exact);
        best->f1 = fmax(best->f1, match.f1);
    }
    return GW_OK;
}

gw_status gw_question_answers_rate(const gw_question_answers *a, double threshold, double *exact, double *f1) {
    const gw_questions *q = &a->set->questions;
    gw_string text = {0};
    gw_answer_match match;
    gw_status status = GW_OK;
    *exact = *f1 = 0;
    for (int64_t i = 0; i < q->count && status == GW_OK; i++) {
        gw_string_clear(&text);
        if (!(gw_question_answers_none(a, i) > threshold)) gw_question_answers_text(a, i, 0, &text);
        status = gw_string_status(&text);
        if (status == GW_OK) status = rate(&q->question[i], text.data ? text.data : "", &match);
        if (status != GW_OK) break;
        *exact += match.exact / (double)q->count;
        *f1 += match.f1 / (double)q->count;
    }
    gw_string_free(&text);
    return status;
}
