// SPDX-License-Identifier: MIT
// The fast encoder against the definition of byte-pair encoding, over trained and over arbitrary vocabularies.
#include "base/memory.h"
#include "bpe_reference.h"
#include "text/dna/vocabulary.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 5 };

static gw_tokenizer *from_merges(const ref_merges *m) {
    gw_tokenizer *tokenizer;
    cr_assert_eq(gw_tokenizer_from_merges(m->merges, m->count, &tokenizer), GW_OK, "%s", gw_message());
    return tokenizer;
}

static void assert_encodes_alike(gw_encoder *encoder, const ref_merges *merges, const char *bases, int64_t length,
                                 int64_t (*reference)(const ref_merges *, int32_t *, int64_t)) {
    int32_t *expected = gw_alloc(length, sizeof *expected);
    const int64_t expected_count = reference(merges, expected, ref_letters(bases, length, expected));
    const int32_t *found;
    int64_t count;
    cr_assert_eq(gw_encode(encoder, bases, length, &found, &count), GW_OK, "%s", gw_message());
    cr_assert_eq(count, expected_count, "%lld tokens, expected %lld: %.200s", (long long)count,
                 (long long)expected_count, bases);
    cr_assert_eq(memcmp(found, expected, (size_t)count * sizeof *found), 0, "other tokens: %.200s", bases);
    free(expected);
}

static void compare_on_random_text(const ref_merges *merges, gw_random *random) {
    gw_tokenizer *tokenizer = from_merges(merges);
    gw_encoder *encoder;
    cr_assert_eq(gw_encoder_new(tokenizer, &encoder), GW_OK);
    char bases[301] = {0};
    for (int i = 0; i < 60; i++) {
        const int64_t length = (int64_t)gw_random_below(random, 301);
        ref_random_bases(random, i % KINDS, bases, length);
        assert_encodes_alike(encoder, merges, bases, length, ref_encode);
    }
    gw_encoder_free(encoder);
    gw_tokenizer_free(tokenizer);
}

Test(bpe_encode, arbitrary_vocabularies) {
    gw_random random = gw_random_at(1, GW_SITE_TEST, 0, 0);
    for (int round = 0; round < 30; round++) {
        ref_merges merges;
        ref_arbitrary_merges(&random, 3 + (int32_t)gw_random_below(&random, 150), &merges);
        compare_on_random_text(&merges, &random);
    }
}

Test(bpe_encode, learnt_vocabularies) {
    gw_random random = gw_random_at(2, GW_SITE_TEST, 0, 0);
    char bases[3000];
    int32_t tokens[3000];
    for (int round = 0; round < 10; round++) {
        ref_merges merges;
        ref_random_bases(&random, round % KINDS, bases, sizeof bases);
        ref_train(tokens, ref_letters(bases, sizeof bases, tokens), 150, &merges);
        compare_on_random_text(&merges, &random);
    }
}

// Contig-long words: by passes, since the definition itself would take years.
Test(bpe_encode, words_of_megabases) {
    enum { LENGTH = 2000000 };
    gw_random random = gw_random_at(3, GW_SITE_TEST, 0, 0);
    char *bases = gw_alloc(LENGTH + 1, 1);
    ref_merges merges;
    ref_arbitrary_merges(&random, 60, &merges);
    gw_tokenizer *tokenizer = from_merges(&merges);
    gw_encoder *encoder;
    cr_assert_eq(gw_encoder_new(tokenizer, &encoder), GW_OK);
    for (int kind = 0; kind < 3; kind++) {
        ref_random_bases(&random, kind, bases, LENGTH);
        assert_encodes_alike(encoder, &merges, bases, LENGTH, ref_encode_by_rank);
    }
    memset(bases, 'A', LENGTH); // one run
    assert_encodes_alike(encoder, &merges, bases, LENGTH - 1, ref_encode_by_rank);
    gw_encoder_free(encoder);
    gw_tokenizer_free(tokenizer);
    free(bases);
}

static void assert_ids(gw_encoder *encoder, const char *text, int64_t expected_count, const int32_t *expected) {
    const int32_t *found;
    int64_t count;
    cr_assert_eq(gw_encode(encoder, text, (int64_t)strlen(text), &found, &count), GW_OK);
    cr_assert_eq(count, expected_count, "%s: %lld tokens", text, (long long)count);
    for (int64_t i = 0; i < count; i++)
        cr_assert_eq(found[i], expected[i], "%s: token %lld is %d", text, (long long)i, found[i]);
}

Test(bpe_encode, letters_lower_case_iupac_and_others) {
    gw_tokenizer *tokenizer;
    gw_encoder *encoder;
    cr_assert_eq(gw_tokenizer_letters(&tokenizer), GW_OK);
    cr_assert_eq(gw_tokenizer_size(tokenizer), 10);
    cr_assert_eq(gw_encoder_new(tokenizer, &encoder), GW_OK);
    assert_ids(encoder, "", 0, NULL);
    assert_ids(encoder, "A", 1, (int32_t[]){5});
    assert_ids(encoder, "acgtnuU", 7, (int32_t[]){5, 6, 7, 8, 9, 8, 8});
    assert_ids(encoder, "RYSWKMBDHVryswkmbdhv", 20,
               (int32_t[]){9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9});
    assert_ids(encoder, "A-\xC3\xA9X", 4, (int32_t[]){5, GW_TOKEN_UNK, GW_TOKEN_UNK, GW_TOKEN_UNK});
    gw_encoder_free(encoder);
    gw_tokenizer_free(tokenizer);
}

Test(bpe_encode, tie_of_one_merge_goes_left) {
    const ref_merges merges = {{{5, 5}, {10, 5}}, 2}; // AA, AAA
    gw_tokenizer *tokenizer = from_merges(&merges);
    gw_encoder *encoder;
    cr_assert_eq(gw_encoder_new(tokenizer, &encoder), GW_OK);
    assert_ids(encoder, "AAAAA", 2, (int32_t[]){10, 11});
    assert_ids(encoder, "CAAAC", 3, (int32_t[]){6, 11, 6});
    assert_ids(encoder, "aaaa", 2, (int32_t[]){10, 10});
    gw_encoder_free(encoder);
    gw_tokenizer_free(tokenizer);
}

Test(bpe_encode, what_a_token_says_of_itself) {
    const ref_merges merges = {{{5, 9}, {10, 6}}, 2}; // AN, ANC
    gw_tokenizer *tokenizer = from_merges(&merges);
    cr_assert_str_eq(gw_tokenizer_text(tokenizer, 11), "ANC");
    cr_assert_str_eq(gw_tokenizer_text(tokenizer, GW_TOKEN_MASK), "[MASK]");
    cr_assert_eq(gw_tokenizer_bases(tokenizer, 11), 3);
    cr_assert_eq(gw_tokenizer_bases(tokenizer, GW_TOKEN_UNK), 0);
    cr_assert(gw_tokenizer_has_n(tokenizer, 9) && gw_tokenizer_has_n(tokenizer, 11));
    cr_assert(!gw_tokenizer_has_n(tokenizer, 5) &&
              !gw_tokenizer_has_n(tokenizer, GW_TOKEN_UNK)); // "[UNK]" has the letter
    cr_assert_eq(gw_tokenizer_mean_bases(tokenizer), 0);
    gw_tokenizer_free(tokenizer);
}

Test(bpe_encode, merges_that_cannot_be) {
    gw_tokenizer *tokenizer;
    const int32_t later[][2] = {{5, 11}, {5, 6}}, special[][2] = {{5, 4}},
                  twice[][2] = {{5, 6}, {10, 7}, {6, 7}, {5, 12}};
    cr_assert_eq(gw_tokenizer_from_merges(later, 2, &tokenizer), GW_ERR_FORMAT);
    cr_assert_str_eq(gw_message(), "merge 0 uses token 11, which is not a letter and not made by an earlier merge");
    cr_assert_eq(gw_tokenizer_from_merges(special, 1, &tokenizer), GW_ERR_FORMAT);
    cr_assert_eq(gw_tokenizer_from_merges(twice, 4, &tokenizer), GW_ERR_FORMAT);
    cr_assert_str_eq(gw_message(), "tokens 11 and 13 are both \"ACG\"");
    cr_assert_null(tokenizer);
}
