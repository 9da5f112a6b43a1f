// SPDX-License-Identifier: MIT
// Words of rows: what a word is, rows and pairs, a limit, and the features that they become.
#include "language/text_set.h"
#include "measure/sparse_rows.h"

#include <criterion/criterion.h>
#include <math.h>

static const char *const texts[] = {"The cell, the CELL!", "na\xC3\xAFve cells divide", "", "divide: 42 the"};
enum { TEXTS = sizeof texts / sizeof *texts };

static gw_row_words read_all(int64_t most) {
    gw_row_words words = {.most = most};
    for (int i = 0; i < TEXTS; i++) cr_assert_eq(gw_row_words_add(&words, texts[i], NULL), GW_OK);
    return words;
}

// Whether rows of one text each have the same words.
static bool same_words(const char *a, const char *second, const char *b) {
    gw_row_words words = {.most = 100};
    cr_assert_eq(gw_row_words_add(&words, a, second), GW_OK);
    cr_assert_eq(gw_row_words_add(&words, b, NULL), GW_OK);
    const int64_t count = words.start[1];
    bool same = words.start[2] == 2 * count;
    for (int64_t i = 0; same && i < count; i++) same = words.word[i] == words.word[count + i];
    gw_row_words_free(&words);
    return same;
}

Test(row_words, each_once_and_rising) {
    const int64_t expected[TEXTS + 1] = {0, 2, 5, 5, 8};
    gw_row_words words = read_all(8);
    cr_assert_eq(words.rows, TEXTS);
    for (int i = 0; i <= TEXTS; i++) cr_expect_eq(words.start[i], expected[i]);
    for (int row = 0; row < TEXTS; row++)
        for (int64_t i = words.start[row] + 1; i < words.start[row + 1]; i++)
            cr_expect_lt(words.word[i - 1], words.word[i]);
    gw_row_words_free(&words);
}

Test(row_words, letters_and_digits_make_words) {
    cr_expect(same_words("The cat's 2nd", NULL, "s\tthe\n-2ND. cat"));
    cr_expect(same_words("a b", "b c", "c a b"));
    cr_expect(same_words("na\xC3\xAFve", NULL, "NA\xC3\xAFVE"));
    cr_expect_not(same_words("ab c", NULL, "a bc"));
    cr_expect_not(same_words("na\xC3\xAFve", NULL, "na ve"));
}

Test(row_words, none_are_kept_past_the_limit) {
    gw_row_words words = read_all(7), none = read_all(0);
    cr_expect_eq(words.rows, 0);
    cr_expect_null(words.word);
    cr_expect_eq(none.rows, 0);
    gw_row_words_free(&words);
}

Test(row_words, features_are_words_of_two_rows) {
    gw_row_words words = read_all(100);
    const gw_words_of_rows rows = {words.rows, words.start, words.word};
    const int64_t expected[TEXTS + 1] = {0, 1, 2, 2, 4}; // the; divide; nothing; the and divide
    gw_known_words known;
    gw_sparse_rows sparse;
    cr_assert_eq(gw_known_words_find(&rows, &known), GW_OK);
    cr_assert_eq(known.count, 2);
    cr_assert_eq(gw_word_rows_make(&rows, &known, &sparse), GW_OK);
    cr_expect_eq(sparse.features, 2);
    for (int i = 0; i <= TEXTS; i++) cr_expect_eq(sparse.start[i], expected[i]);
    cr_expect_eq(sparse.value[0], 1);
    cr_expect_float_eq(sparse.value[2], sqrt(0.5), 1e-7);
    cr_expect_neq(sparse.feature[0], sparse.feature[1]);
    gw_sparse_rows_free(&sparse);
    gw_known_words_free(&known);
    gw_row_words_free(&words);
}
