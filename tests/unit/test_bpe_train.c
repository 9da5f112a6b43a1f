// SPDX-License-Identifier: MIT
// Learning against a recount of every pair after every merge.
#include "base/memory.h"
#include "bpe_reference.h"
#include "text/tokenizer.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static gw_tokenizer *learn(const char *const *words, int count, int32_t size) {
    gw_bpe_trainer *trainer;
    gw_tokenizer *tokenizer = NULL;
    cr_assert_eq(gw_bpe_trainer_new(&trainer), GW_OK);
    for (int i = 0; i < count; i++)
        cr_assert_eq(gw_bpe_trainer_add(trainer, words[i], (int64_t)strlen(words[i])), GW_OK);
    cr_assert_eq(gw_bpe_trainer_run(trainer, size, &tokenizer), GW_OK, "%s", gw_message());
    gw_bpe_trainer_free(trainer);
    return tokenizer;
}

static gw_tokenizer *from_reference(const char *const *words, int count, int32_t size) {
    int64_t length = 0, at = 0;
    for (int i = 0; i < count; i++) length += (int64_t)strlen(words[i]) + 1;
    int32_t *tokens = gw_alloc(length, sizeof *tokens);
    for (int i = 0; i < count; i++) at += ref_letters(words[i], (int64_t)strlen(words[i]), tokens + at) + 1;
    ref_merges merges;
    ref_train(tokens, length, size, &merges);
    free(tokens);
    gw_tokenizer *tokenizer;
    cr_assert_eq(gw_tokenizer_from_merges(merges.merges, merges.count, &tokenizer), GW_OK, "%s", gw_message());
    return tokenizer;
}

static void assert_same(gw_tokenizer *found, gw_tokenizer *expected, int round) {
    cr_assert_eq(gw_tokenizer_size(found), gw_tokenizer_size(expected), "round %d: %d tokens, expected %d", round,
                 gw_tokenizer_size(found), gw_tokenizer_size(expected));
    for (int32_t i = 0; i < gw_tokenizer_size(found); i++)
        cr_assert_str_eq(gw_tokenizer_text(found, i), gw_tokenizer_text(expected, i), "round %d: token %d", round, i);
    gw_tokenizer_free(found);
    gw_tokenizer_free(expected);
}

Test(bpe_train, random_words) {
    enum { WORDS = 12, LONGEST = 300 };
    gw_random random = gw_random_at(5, GW_SITE_TEST, 0, 0);
    for (int round = 0; round < 60; round++) {
        static char text[WORDS][LONGEST + 1];
        const char *words[WORDS];
        for (int i = 0; i < WORDS; i++) {
            const int64_t length = (int64_t)gw_random_below(&random, LONGEST + 1);
            ref_random_bases(&random, (round + (i == 0)) % 5, text[i], length);
            text[i][length] = 0;
            words[i] = text[i];
        }
        const int32_t size = 10 + (int32_t)gw_random_below(&random, 200);
        assert_same(learn(words, WORDS, size), from_reference(words, WORDS, size), round);
    }
}

Test(bpe_train, ties_go_to_the_smaller_ids) {
    const char *words[] = {"GT", "GT", "CA", "CA", "CG", "CG"};
    gw_tokenizer *t = learn(words, 6, 13);
    cr_assert_str_eq(gw_tokenizer_text(t, 10), "CA");
    cr_assert_str_eq(gw_tokenizer_text(t, 11), "CG");
    cr_assert_str_eq(gw_tokenizer_text(t, 12), "GT");
    gw_tokenizer_free(t);
}

Test(bpe_train, runs_count_overlapping_and_merge_from_the_left) {
    const char *words[] = {"AAAAA", "CGCGCG"}; // AA 4 times against CG 3 times
    gw_tokenizer *t = learn(words, 2, 12);
    cr_assert_str_eq(gw_tokenizer_text(t, 10), "AA");
    cr_assert_str_eq(gw_tokenizer_text(t, 11), "CG");
    cr_assert_float_eq(gw_tokenizer_mean_bases(t), 11.0 / 6, 1e-12); // AA AA A, CG CG CG
    gw_tokenizer_free(t);
}

Test(bpe_train, pairs_do_not_cross_words_or_other_characters) {
    const char *words[] = {"AC", "AC", "G-T", "G-T", "TG"};
    gw_tokenizer *t = learn(words, 5, 100);
    cr_assert_eq(gw_tokenizer_size(t), 11);
    cr_assert_str_eq(gw_tokenizer_text(t, 10), "AC");
    gw_tokenizer_free(t);
}

Test(bpe_train, case_and_iupac_are_normalised) {
    const char *words[] = {"acRu", "ACNT"};
    gw_tokenizer *t = learn(words, 2, 13);
    cr_assert_eq(gw_tokenizer_size(t), 13);
    cr_assert_str_eq(gw_tokenizer_text(t, 10), "AC");
    cr_assert_str_eq(gw_tokenizer_text(t, 12), "ACNT");
    cr_assert(gw_tokenizer_has_n(t, 12));
    cr_assert_float_eq(gw_tokenizer_mean_bases(t), 4, 1e-12);
    gw_tokenizer_free(t);
}

Test(bpe_train, nothing_to_learn) {
    gw_bpe_trainer *trainer;
    gw_tokenizer *tokenizer;
    cr_assert_eq(gw_bpe_trainer_new(&trainer), GW_OK);
    cr_assert_eq(gw_bpe_trainer_run(trainer, 100, &tokenizer), GW_ERR_FORMAT);
    cr_assert_str_eq(gw_message(), "no bases to learn from");
    cr_assert_eq(gw_bpe_trainer_add(trainer, "A", 1), GW_OK);
    cr_assert_eq(gw_bpe_trainer_run(trainer, 9, &tokenizer), GW_ERR_RANGE);
    cr_assert_eq(gw_bpe_trainer_run(trainer, 100, &tokenizer), GW_OK);
    cr_assert_eq(gw_tokenizer_size(tokenizer), 10);
    cr_assert_eq(gw_tokenizer_mean_bases(tokenizer), 1);
    gw_tokenizer_free(tokenizer);
    gw_bpe_trainer_free(trainer);
}
