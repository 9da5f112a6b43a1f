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

// --- bytes ---------------------------------------------------------------------------------------------------------

static gw_tokenizer *learn_bytes(const char *const *texts, int count, int32_t size) {
    gw_bpe_trainer *trainer;
    gw_tokenizer *tokenizer = NULL;
    cr_assert_eq(gw_bpe_trainer_new_bytes(&trainer), GW_OK);
    for (int i = 0; i < count; i++)
        cr_assert_eq(gw_bpe_trainer_add(trainer, texts[i], (int64_t)strlen(texts[i])), GW_OK);
    cr_assert_eq(gw_bpe_trainer_run(trainer, size, &tokenizer), GW_OK, "%s", gw_message());
    gw_bpe_trainer_free(trainer);
    return tokenizer;
}

// a b c d e stand in the order of the ids of A C G T N, so that merges are the same.
Test(bpe_train, bytes_merge_as_bases_do) {
    enum { WORDS = 10, LONGEST = 200, MERGES = 60 };
    static char bases[WORDS][LONGEST + 1], letters[WORDS][LONGEST + 1];
    const char *words[WORDS], *texts[WORDS];
    gw_random random = gw_random_at(6, GW_SITE_TEST, 0, 0);
    for (int i = 0; i < WORDS; i++) {
        for (int64_t at = 0; at < LONGEST; at++) {
            const uint64_t which = gw_random_below(&random, 5) * gw_random_below(&random, 5) / 4;
            bases[i][at] = "ACGTN"[which];
            letters[i][at] = "abcde"[which];
        }
        words[i] = bases[i];
        texts[i] = letters[i];
    }
    gw_tokenizer *of_bases = learn(words, WORDS, 10 + MERGES);
    gw_tokenizer *of_bytes = learn_bytes(texts, WORDS, GW_BYTE_VOCABULARY + MERGES);
    cr_assert_eq(gw_tokenizer_size(of_bytes), GW_BYTE_VOCABULARY + MERGES);
    for (int32_t m = 0; m < MERGES; m++) {
        const char *expected = gw_tokenizer_text(of_bases, 10 + m);
        const char *found = gw_tokenizer_text(of_bytes, GW_BYTE_VOCABULARY + m);
        cr_assert_eq(strlen(found), strlen(expected), "merge %d", m);
        for (size_t at = 0; expected[at]; at++)
            cr_assert_eq(found[at], "abcde"[strchr("ACGTN", expected[at]) - "ACGTN"], "merge %d: %s", m, found);
    }
    gw_tokenizer_free(of_bases);
    gw_tokenizer_free(of_bytes);
}

// What Hugging Face's trainer learns from these lines, and that any bytes come back.
Test(bpe_train, words_of_text) {
    static const char *const lines[] = {"the cat, the caf\xc3\xa9 and the other cat's cafe",
                                        "then  the\tcaf\xc3\xa9 42"};
    static const char *const expected[] = {"he",
                                           "the",
                                           "ca",
                                           ("\xc4\xa0"
                                            "ca"),
                                           "\xc4\xa0the",
                                           "f\xc3\x83"};
    gw_tokenizer *t = learn_bytes(lines, 2, GW_BYTE_VOCABULARY + 6);
    gw_encoder *encoder;
    const int32_t *tokens;
    int64_t count;
    gw_string back = {0};
    for (int m = 0; m < 6; m++) cr_expect_str_eq(gw_tokenizer_text(t, GW_BYTE_VOCABULARY + m), expected[m]);
    cr_expect_str_eq(gw_tokenizer_text(t, 5), "!");
    cr_expect_eq(gw_tokenizer_special(t, GW_SPECIAL_MASK), 4);
    cr_assert_eq(gw_encoder_new(t, &encoder), GW_OK);
    cr_assert_eq(gw_encode(encoder, "x\t\xe2\x82\xac the caf\xc3\xa9", 16, &tokens, &count), GW_OK);
    cr_assert_eq(gw_decode(t, tokens, count, &back), GW_OK);
    cr_expect_str_eq(back.data, "x\t\xe2\x82\xac the caf\xc3\xa9");
    gw_string_free(&back);
    gw_encoder_free(encoder);
    gw_tokenizer_free(t);
}
