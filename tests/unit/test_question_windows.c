// SPDX-License-Identifier: MIT
// Question sets as windows: which bytes tokens cover, which windows there are, where answers are, what is refused.
#include "base/memory.h"
#include "base/output.h"
#include "language/question_answers.h"
#include "language/question_windows.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char context[] = "In 1066 the Na\xC3\xAFve-Norman  (Rollo's) fleet,\n\xE4\xB8\xAD\xE6\x96\x87 too, "
                              "crossed \xC3\x89tretat's  CHANNEL: U.S.A. 3.5%";

static gw_tokenizer *load(const char *name) {
    char path[512];
    gw_tokenizer *tokenizer;
    snprintf(path, sizeof path, "%s/tests/data/%s", getenv("ROOT") ? getenv("ROOT") : ".", name);
    cr_assert_eq(gw_tokenizer_load(path, &tokenizer), GW_OK, "%s", gw_message());
    return tokenizer;
}

// The set of one context, with a question of some tokens and an answer (NULL: there is none).
static gw_text_set cut(const gw_tokenizer *tokenizer, gw_text_options options, const char *answer, int64_t character) {
    gw_questions questions = {0};
    gw_text_set set;
    cr_assert_eq(gw_questions_add_context(&questions, context), GW_OK);
    cr_assert_eq(gw_questions_add(&questions, "q", "who crossed it?"), GW_OK);
    questions.question[0].said = true;
    if (answer) cr_assert_eq(gw_questions_add_answer(&questions, answer, character), GW_OK);
    cr_assert_eq(gw_question_windows(&questions, tokenizer, &options, &set), GW_OK, "%s", gw_message());
    return set;
}

static const char *const tokenizers[] = {"tokenizer_json/byte_level.json", "tokenizer_json/wordpiece.json",
                                         "tokenizer_json/byte_fallback.json", "spm_unigram.model", "spm_bpe.model"};
enum { TOKENIZERS = sizeof tokenizers / sizeof *tokenizers };

// Tokens cover the context from left to right without gaps but for blanks, and most of them less than their word.
Test(question_windows, tokens_cover_their_letters) {
    for (int t = 0; t < TOKENIZERS; t++) {
        gw_tokenizer *tokenizer = load(tokenizers[t]);
        gw_text_set set = cut(tokenizer, (gw_text_options){.most = 4096}, NULL, 0);
        const gw_context *c = &set.questions.context[0];
        int64_t at = 0;
        cr_assert_eq(set.rows, 1);
        cr_assert_eq(set.window[0].tokens, c->tokens);
        for (int64_t i = 0; i < c->tokens; i++) {
            cr_assert(c->begin[i] < c->end[i] && c->end[i] <= c->length, "%s: token %lld", tokenizers[t], (long long)i);
            for (; at < c->begin[i]; at++)
                cr_expect(strchr(" \n", context[at]), "%s: byte %lld", tokenizers[t], (long long)at);
            if (c->end[i] > at) at = c->end[i];
            cr_expect_eq(c->token[i], set.token[set.window[0].first + i]);
        }
        cr_expect_eq(at, c->length, "%s ends at %lld", tokenizers[t], (long long)at);
        gw_text_set_free(&set);
        gw_tokenizer_free(tokenizer);
    }
}

// In windows of any size each token is in one; the answer's tokens are labelled in those that hold all of it.
Test(question_windows, cover_contexts_and_label_answers) {
    static const char answer[] = "Rollo";
    gw_tokenizer *tokenizer = load(tokenizers[0]);
    for (int64_t most = 40; most <= 120; most += 5) {
        gw_text_set set = cut(tokenizer, (gw_text_options){.most = most}, answer, 27);
        const gw_context *c = &set.questions.context[0];
        int64_t covered = 0, labelled = 0;
        cr_expect_eq(set.questions.moved + set.questions.lost, 0);
        for (int64_t row = 0; row < set.rows; row++) {
            const gw_window *w = &set.window[row];
            const int32_t *label = set.label + 2 * row;
            cr_assert(w->from <= covered && set.start[row + 1] - set.start[row] <= most);
            covered = w->from + w->tokens;
            if (label[0] == 0) continue;
            labelled++;
            const int64_t begin = strstr(context, answer) - context, end = begin + 5;
            const int64_t first = w->from + label[0] - w->first, last = w->from + label[1] - w->first;
            cr_expect(c->begin[first] <= begin && c->end[first] > begin);
            cr_expect(c->begin[last] < end && c->end[last] >= end);
        }
        cr_expect_eq(covered, c->tokens);
        cr_expect_geq(labelled, 1, "windows of %lld", (long long)most);
        gw_text_set_free(&set);
    }
    gw_tokenizer_free(tokenizer);
}

static void expect_place(const char *text, int64_t character, int64_t begin, int64_t moved, int64_t lost) {
    gw_questions q = {0};
    cr_assert_eq(gw_questions_add_context(&q, "\xC3\xA9 the cat, the dog, the cat"), GW_OK);
    cr_assert_eq(gw_questions_add(&q, "q", "?"), GW_OK);
    cr_assert_eq(gw_questions_add_answer(&q, text, character), GW_OK);
    cr_expect_eq(q.question[0].answer[0].begin, begin, "'%s' at %lld", text, (long long)character);
    cr_expect(q.moved == moved && q.lost == lost, "'%s' at %lld", text, (long long)character);
    gw_questions_free(&q);
}

// Places count characters; of several the nearest is taken.
Test(question_windows, answers_are_found_again) {
    expect_place("cat", 6, 7, 0, 0);
    expect_place("cat", 0, 7, 1, 0);
    expect_place("cat", 23, 25, 1, 0);
    expect_place("cat", 1000, 25, 1, 0);
    expect_place("cat", -1, 25, 1, 0);
    expect_place(" cat ,", 5, -1, 0, 1);
    expect_place(" the cat\n", 1, 3, 0, 0);
    expect_place("cow", 6, -1, 0, 1);
    expect_place(" ", 1, -1, 0, 1);
    expect_place("", 1, -1, 0, 1);
}

Test(question_windows, a_question_that_fills_the_window) {
    gw_tokenizer *tokenizer = load(tokenizers[0]);
    const gw_text_options options = {.most = 12, .most_question = 12};
    gw_questions questions = {0};
    gw_text_set set;
    cr_assert_eq(gw_questions_add_context(&questions, context), GW_OK);
    cr_assert_eq(gw_questions_add(&questions, "who", "who was it that crossed the channel in that year?"), GW_OK);
    cr_expect_eq(gw_question_windows(&questions, tokenizer, &options, &set), GW_ERR_RANGE);
    cr_expect(strstr(gw_message(), "question who and special tokens"), "%s", gw_message());
    gw_text_set_free(&set);
    gw_tokenizer_free(tokenizer);
}

// The best spans over overlapping windows against all of them, sorted.
Test(question_windows, best_answers_over_windows) {
    gw_tokenizer *tokenizer = load(tokenizers[0]);
    gw_text_set set = cut(tokenizer, (gw_text_options){.most = 40, .longest_answer = 4}, NULL, 0);
    gw_question_answers few = {.set = &set, .most = 7}, all = {.set = &set, .most = 2000};
    float z[2 * 40];
    unsigned state = 7;
    cr_assert_gt(set.rows, 2);
    cr_assert_eq(gw_question_answers_begin(&few), GW_OK);
    cr_assert_eq(gw_question_answers_begin(&all), GW_OK);
    double none = INFINITY;
    for (int64_t row = 0; row < set.rows; row++) {
        for (int i = 0; i < 2 * 40; i++) z[i] = (float)((state = state * 1103515245 + 12345) >> 16 & 1023) / 64;
        none = fmin(none, (double)(z[0] + z[1]));
        gw_question_answers_add(&few, row, z);
        gw_question_answers_add(&all, row, z);
    }
    cr_assert_eq(few.found[0], 7);
    cr_expect_eq(few.none[0], none);
    for (int64_t i = 0; i < 7; i++) {
        cr_expect_eq(few.best[i].score, all.best[i].score, "answer %lld", (long long)i);
        for (int64_t j = 0; j < i; j++)
            cr_expect(few.best[i].begin != few.best[j].begin || few.best[i].end != few.best[j].end);
    }
    for (int64_t i = 1; i < all.found[0]; i++) {
        cr_expect_leq(all.best[i].score, all.best[i - 1].score);
        for (int64_t j = 0; j < i; j++)
            cr_assert(all.best[i].begin != all.best[j].begin || all.best[i].end != all.best[j].end);
    }
    gw_question_answers_free(&few);
    gw_question_answers_free(&all);
    gw_text_set_free(&set);
    gw_tokenizer_free(tokenizer);
}
