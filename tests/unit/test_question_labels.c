// SPDX-License-Identifier: MIT
// Windows of sets with named columns: where markers stand, which ends are right, what is one example.
#include "language/question_windows.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gw_tokenizer *load(void) {
    char path[512];
    gw_tokenizer *tokenizer;
    snprintf(path, sizeof path, "%s/tests/data/tokenizer_json/byte_level.json", getenv("ROOT") ? getenv("ROOT") : ".");
    cr_assert_eq(gw_tokenizer_load(path, &tokenizer), GW_OK, "%s", gw_message());
    return tokenizer;
}

static gw_text_set cut(const gw_tokenizer *tokenizer, gw_questions *questions, gw_text_options options) {
    gw_text_set set;
    cr_assert_eq(gw_question_windows(questions, tokenizer, &options, &set), GW_OK, "%s", gw_message());
    return set;
}

// The text that a row's tokens from `first` to `last` cover.
static void expect_text(const gw_text_set *set, int64_t row, int32_t first, int32_t last, const char *text) {
    const gw_window *w = &set->window[row];
    const gw_context *c = &set->questions.context[w->context];
    const int64_t begin = c->begin[w->from + first - w->first], end = c->end[w->from + last - w->first];
    cr_expect((int64_t)strlen(text) == end - begin && strncmp(c->text + begin, text, strlen(text)) == 0,
              "row %lld: '%.*s', not '%s'", (long long)row, (int)(end - begin), c->text + begin, text);
}

static int32_t right_end(const gw_question_labels *l, int64_t row, int column) {
    for (int64_t i = l->end_start[row]; i < l->end_start[row + 1]; i++)
        if (l->end[i].column == column) return l->end[i].token;
    return -1;
}

static const char three[] = "red genes \n small cells \n divide";
// A question about three parts of which the second is right and answers by "small".
static gw_questions of_parts(void) {
    gw_questions q = {.shape = {.ends = 2, .types = 3, .marks = true, .most_words = 30}};
    cr_assert_eq(gw_questions_add_context(&q, three), GW_OK);
    for (int p = 0; p < 3; p++) {
        static const int64_t begin[] = {0, 12, 26};
        cr_assert_eq(
            gw_questions_add_part(&q, (gw_context_part){.begin = begin[p], .end = begin[p] + 6, .right = p == 1}),
            GW_OK);
    }
    cr_assert_eq(gw_questions_add(&q, "q", "what?"), GW_OK);
    cr_assert_eq(gw_questions_add_span(&q, 0, 12, 17), GW_OK);
    q.question[0].said = true;
    q.question[0].type = 0;
    return q;
}

Test(question_labels, a_marker_stands_before_each_part) {
    gw_tokenizer *tokenizer = load();
    gw_questions q = of_parts();
    gw_text_set set = cut(tokenizer, &q, (gw_text_options){.most = 100});
    const gw_question_labels *l = &set.right;
    cr_assert_eq(set.rows, 1);
    cr_assert_eq(l->examples, 1);
    cr_assert_eq(l->marker_start[1], 3);
    for (int m = 0; m < 3; m++) {
        cr_expect_eq(set.token[l->marker[m].token], gw_tokenizer_special(tokenizer, GW_SPECIAL_SEP));
        cr_expect_eq(l->marker[m].number, m);
        cr_expect_eq(l->marker[m].right, m == 1);
    }
    expect_text(&set, 0, right_end(l, 0, 0), right_end(l, 0, 1), "small");
    expect_text(&set, 0, l->marker[1].token + 1, right_end(l, 0, 1), "small");
    cr_expect_eq(l->type[0], 0);
    gw_text_set_free(&set);
    gw_tokenizer_free(tokenizer);
}

// Windows have the markers that lie in them, and the first token as the ends of an answer that they do not hold.
Test(question_labels, windows_of_parts) {
    gw_tokenizer *tokenizer = load();
    gw_questions q = of_parts();
    gw_text_set set = cut(tokenizer, &q, (gw_text_options){.most = 16, .stride = 4});
    const gw_question_labels *l = &set.right;
    int64_t held = 0;
    cr_assert_gt(set.rows, 2);
    cr_expect_eq(l->examples, set.rows);
    for (int64_t row = 0; row < set.rows; row++) {
        const gw_window *w = &set.window[row];
        for (int64_t i = l->marker_start[row]; i < l->marker_start[row + 1]; i++) {
            const gw_marker m = l->marker[i];
            cr_expect_eq(set.token[set.start[row] + m.token], gw_tokenizer_special(tokenizer, GW_SPECIAL_SEP));
            cr_expect(m.token >= w->first && m.token < w->first + w->tokens);
            cr_expect_eq(m.right, m.number == 1);
        }
        const int32_t first = right_end(l, row, 0), last = right_end(l, row, 1);
        cr_expect_eq(first == 0, last == 0);
        held += first > 0;
        if (first > 0) expect_text(&set, row, first, last, "small");
    }
    cr_expect(held > 0 && held < set.rows);
    gw_text_set_free(&set);
    // And training may leave those without one out.
    q = of_parts();
    q.question[0].type = -1;
    set = cut(tokenizer, &q, (gw_text_options){.most = 16, .stride = 4, .dropped = 1});
    for (int64_t row = 0; row < set.rows; row++) cr_expect(gw_question_labels_right(&set.right, row));
    cr_expect_gt(set.rows, 0);
    cr_expect_eq(set.right.examples, set.rows);
    gw_text_set_free(&set);
    gw_tokenizer_free(tokenizer);
}

// All windows of all documents are one example, and every span is right in its own.
Test(question_labels, joined_windows) {
    static const char *const document[] = {"the red cells are red", "genes divide",
                                           "red is small and the cells are red"};
    gw_tokenizer *tokenizer = load();
    gw_questions q = {.shape = {.ends = 2, .joined = true, .most_words = 16}};
    int64_t ends = 0;
    for (int d = 0; d < 3; d++) cr_assert_eq(gw_questions_add_context(&q, document[d]), GW_OK);
    cr_assert_eq(gw_questions_add(&q, "q", "what?"), GW_OK);
    q.question[0].context = 0;
    q.question[0].contexts = 3;
    q.question[0].said = true;
    for (int d = 0; d < 3; d++)
        for (const char *at = document[d]; (at = strstr(at, "red")); at++)
            cr_assert_eq(gw_questions_add_span(&q, d, at - document[d], at - document[d] + 3), GW_OK);
    gw_text_set set = cut(tokenizer, &q, (gw_text_options){.most = 14, .stride = 100});
    const gw_question_labels *l = &set.right;
    cr_expect_eq(l->examples, 1);
    cr_expect_eq(l->example[1], set.rows);
    cr_expect_gt(set.rows, 3);
    for (int64_t row = 0; row < set.rows; row++)
        for (int64_t i = l->end_start[row]; i < l->end_start[row + 1]; i += 2, ends++)
            expect_text(&set, row, l->end[i].token, l->end[i + 1].token, "red");
    cr_expect_geq(ends, 4, "%lld", (long long)ends);
    gw_text_set_free(&set);
    gw_tokenizer_free(tokenizer);
}

// A marker stands behind each candidate, before the context.
Test(question_labels, candidates) {
    static const char *const names[] = {"red", "deep blue"};
    gw_tokenizer *tokenizer = load();
    gw_questions q = {.shape = {.candidates = true, .joined = true}};
    cr_assert_eq(gw_questions_add_context(&q, "the cells are blue"), GW_OK);
    cr_assert_eq(gw_questions_add(&q, "q", "what?"), GW_OK);
    for (int c = 0; c < 2; c++) cr_assert_eq(gw_questions_add_candidate(&q, names[c]), GW_OK);
    q.question[0].said = true;
    q.question[0].right = 1;
    gw_text_set set = cut(tokenizer, &q, (gw_text_options){.most = 100});
    const gw_question_labels *l = &set.right;
    cr_assert_eq(l->marker_start[1], 2);
    for (int m = 0; m < 2; m++) {
        cr_expect_eq(set.token[l->marker[m].token], gw_tokenizer_special(tokenizer, GW_SPECIAL_SEP));
        cr_expect_eq(l->marker[m].right, m == 1);
    }
    cr_expect_eq(l->marker[1].token + 1, set.window[0].first, "the context follows the last candidate");
    expect_text(&set, 0, (int32_t)set.window[0].first, (int32_t)(set.window[0].first + set.window[0].tokens - 1),
                "the cells are blue");
    gw_text_set_free(&set);
    gw_tokenizer_free(tokenizer);
}
