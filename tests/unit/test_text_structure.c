// SPDX-License-Identifier: MIT
// Global tokens of texts and of windows of questions: what each stands for, and what is joined where they are too many.
#include "base/memory.h"
#include "base/output.h"
#include "language/question_windows.h"
#include "language/text_batch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static gw_tokenizer *load(void) {
    char path[512];
    gw_tokenizer *tokenizer;
    snprintf(path, sizeof path, "%s/tests/data/tokenizer_json/byte_level.json", getenv("ROOT") ? getenv("ROOT") : ".");
    cr_assert_eq(gw_tokenizer_load(path, &tokenizer), GW_OK, "%s", gw_message());
    return tokenizer;
}

// A row's tokens [begin, end) as text, without blanks.
static void spell(const gw_tokenizer *tokenizer, const gw_text_set *set, int64_t row, int64_t begin, int64_t end,
                  gw_string *out) {
    gw_string text = {0};
    gw_string_clear(out);
    cr_assert_eq(gw_decode(tokenizer, set->token + set->start[row] + begin, end - begin, &text), GW_OK);
    for (int64_t i = 0; i < text.length; i++)
        if (text.data[i] != ' ' && text.data[i] != '\n') gw_string_putc(out, text.data[i]);
    gw_string_puts(out, "");
    gw_string_free(&text);
}

// The list as text: "-" of no segment, else what it stands for, S: a sentence.
static void list(const gw_tokenizer *tokenizer, const gw_text_structure *s, const gw_text_set *set, gw_string *out) {
    gw_string text = {0};
    gw_string_clear(out);
    for (int64_t g = 0; g < s->count; g++) {
        const gw_text_global *global = &s->global[g];
        if (global->begin >= 0) spell(tokenizer, set, 0, global->begin, global->end, &text);
        gw_string_printf(out, "%s%s%s", g > 0 ? " | " : "", global->sentence ? "S:" : "",
                         global->begin < 0 ? "-" : text.data);
    }
    gw_string_free(&text);
}

// The candidates' texts with what is linked with them.
static void list_links(const gw_tokenizer *tokenizer, const gw_text_structure *s, const gw_text_set *set,
                       const int32_t *link, gw_string *out) {
    gw_string text = {0};
    gw_string_clear(out);
    for (int64_t g = 0; g < s->count; g++) {
        const int32_t candidate = s->global[g].candidate;
        if (candidate < 0) continue;
        gw_string_printf(out, "%s%s:", out->length > 0 ? " " : "", set->questions.question[0].candidate[candidate]);
        for (int64_t t = 0; t < set->start[1]; t++) {
            if (link[t] != g) continue;
            spell(tokenizer, set, 0, t, t + 1, &text);
            gw_string_puts(out, text.data);
        }
    }
    gw_string_free(&text);
}

static void expect(gw_questions *questions, int64_t most, const char *expected, const int32_t *last_part,
                   const char *links) {
    gw_tokenizer *tokenizer = load();
    gw_text_set set;
    gw_text_structure structure;
    gw_string found = {0};
    int32_t part[256], link[256];
    cr_assert_eq(gw_questions_add(questions, "q", "who?"), GW_OK);
    if (questions->shape.candidates) {
        cr_assert_eq(gw_questions_add_candidate(questions, "Ada"), GW_OK);
        cr_assert_eq(gw_questions_add_candidate(questions, "Bob"), GW_OK);
        cr_assert_eq(gw_questions_add_candidate(questions, "Bob Adam"), GW_OK);
    }
    const gw_text_options options = {.most = 256};
    cr_assert_eq(gw_question_windows(questions, tokenizer, &options, &set), GW_OK, "%s", gw_message());
    cr_assert_eq(set.rows, 1);
    cr_assert_eq(gw_text_structure_make(&structure, most, tokenizer), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_text_structure_list(&structure, &set, 0, part, link), GW_OK);
    list(tokenizer, &structure, &set, &found);
    cr_expect_str_eq(found.data, expected);
    list_links(tokenizer, &structure, &set, link, &found);
    if (links) cr_expect_str_eq(found.data, links);
    const gw_window *window = &set.window[0];
    cr_expect_eq(part[0], 0);
    cr_expect_eq(part[window->first - 1], 0);
    if (last_part) cr_expect_eq(part[window->first + window->tokens - 1], *last_part);
    gw_text_structure_free(&structure);
    gw_text_set_free(&set);
    gw_tokenizer_free(tokenizer);
    gw_string_free(&found);
}

static const char two[] = "Ada\nAda was one. She ran.\nBob\nBob sat.";

static gw_questions paragraphs(void) {
    const gw_context_part parts[] = {{.begin = 4, .end = 16, .first = 0},
                                     {.begin = 17, .end = 25, .first = 1},
                                     {.begin = 30, .end = 38, .first = 0}};
    gw_questions questions = {.shape = {.ends = 2, .types = 3, .marks = true}};
    cr_assert_eq(gw_questions_add_context(&questions, two), GW_OK);
    for (int p = 0; p < 3; p++) cr_assert_eq(gw_questions_add_part(&questions, parts[p]), GW_OK);
    return questions;
}

// A question's tokens have no segment; paragraphs hold their titles and sentences, and are parts.
Test(text_structure, paragraphs_and_their_sentences) {
    gw_questions questions = paragraphs();
    const int32_t last = 2;
    expect(
        &questions, 256,
        "- | - | - | - | - | AdaAdawasone.Sheran. | S:Ada | S:Adawasone. | S:Sheran. | BobBobsat. | S:Bob | S:Bobsat.",
        &last, NULL);
}

Test(text_structure, neighbouring_sentences_are_joined_evenly) {
    gw_questions questions = paragraphs();
    expect(&questions, 10,
           "- | - | - | - | - | AdaAdawasone.Sheran. | S:AdaAdawasone. | S:Sheran.Bob | BobBobsat. | S:Bobsat.", NULL,
           NULL);
}

// Without names of sentences they end at stops; candidates stand before the context.
Test(text_structure, candidates_and_sentences_that_end_at_stops) {
    gw_questions questions = {.shape = {.candidates = true, .joined = true}};
    cr_assert_eq(gw_questions_add_context(&questions, "One ran. Two sat! And so on"), GW_OK);
    expect(&questions, 256, "- | - | - | - | - | - | - | - | S:Oneran. | S:Twosat! | S:Andsoon", NULL, NULL);
}

// The longest one where mentions overlap, whatever their case; parts of words are none. Their own tokens are linked
// too.
Test(text_structure, candidates_are_linked_with_their_mentions) {
    gw_questions questions = {.shape = {.candidates = true, .joined = true}};
    cr_assert_eq(gw_questions_add_context(&questions, "ADA saw Bob Adam. Adaline had ada, bob"), GW_OK);
    expect(&questions, 256, "- | - | - | - | - | - | - | - | S:ADAsawBobAdam. | S:Adalinehadada,bob", NULL,
           "Ada:AdaADAada Bob:Bobbob Bob Adam:BobAdamBobAdam.");
}

// Of what may be long answers those that stand in no other one.
Test(text_structure, parts_that_stand_in_no_other) {
    const gw_context_part parts[] = {{.begin = 0, .end = 17}, {.begin = 9, .end = 17}, {.begin = 22, .end = 27}};
    gw_questions questions = {.shape = {.ends = 4, .types = 5}};
    cr_assert_eq(gw_questions_add_context(&questions, "One ran. Two sat! And so on"), GW_OK);
    for (int p = 0; p < 3; p++) cr_assert_eq(gw_questions_add_part(&questions, parts[p]), GW_OK);
    expect(&questions, 256, "- | - | - | - | - | S:Oneran.Twosat! | S:soon", NULL, NULL);
}
