// SPDX-License-Identifier: MIT
// The trie of bytes, beside a search through the list of its keys.
#include "base/random.h"
#include "text/sentencepiece/byte_trie.h"

#include <criterion/criterion.h>
#include <string.h>

static int32_t find_slowly(const gw_trie_key *keys, int64_t count, const char *text, int64_t length) {
    for (int64_t i = 0; i < count; i++)
        if (keys[i].length == length && memcmp(keys[i].text, text, (size_t)length) == 0) return keys[i].value;
    return GW_TRIE_NO_VALUE;
}

// Keys over a few letters nest; those over all bytes spread.
Test(byte_trie, finds_what_is_there) {
    enum { KEYS = 3000, LENGTH = 6 };
    gw_random random = gw_random_at(7, GW_SITE_TEST, 0, 0);
    for (uint64_t letters = 2; letters <= 256; letters = letters == 2 ? 5 : letters == 5 ? 256 : 257) {
        static char texts[KEYS][LENGTH];
        static gw_trie_key keys[KEYS];
        int64_t count = 0, duplicate;
        for (int64_t i = 0; i < KEYS; i++) {
            const int32_t length = 1 + (int32_t)gw_random_below(&random, LENGTH);
            for (int k = 0; k < length; k++) texts[count][k] = (char)gw_random_below(&random, letters);
            if (find_slowly(keys, count, texts[count], length) != GW_TRIE_NO_VALUE) continue;
            keys[count] = (gw_trie_key){texts[count], length, (int32_t)i};
            count++;
        }
        gw_byte_trie trie;
        cr_assert_eq(gw_byte_trie_build(&trie, keys, count, &duplicate), GW_OK);
        cr_assert_eq(duplicate, -1);
        for (int round = 0; round < 5000; round++) {
            char text[LENGTH];
            const int64_t length = 1 + (int64_t)gw_random_below(&random, LENGTH);
            for (int k = 0; k < length; k++) text[k] = (char)gw_random_below(&random, letters);
            cr_assert_eq(gw_byte_trie_find(&trie, text, length), find_slowly(keys, count, text, length));
            int64_t longest = length;
            while (longest > 0 && find_slowly(keys, count, text, longest) == GW_TRIE_NO_VALUE) longest--;
            cr_assert_eq(gw_byte_trie_longest(&trie, text, length, LENGTH), longest);
        }
        cr_assert_leq(trie.count, 16 * KEYS * LENGTH);
        gw_byte_trie_free(&trie);
    }
}

Test(byte_trie, names_duplicates_and_holds_nothing) {
    gw_trie_key keys[] = {{"ab", 2, 4}, {"b", 1, 1}, {"ab", 2, 2}};
    gw_byte_trie trie;
    int64_t duplicate;
    cr_assert_eq(gw_byte_trie_build(&trie, keys, 3, &duplicate), GW_OK);
    cr_assert_eq(keys[duplicate].value, 4);
    cr_assert(gw_byte_trie_is_empty(&trie));
    cr_assert_eq(gw_byte_trie_build(&trie, keys, 0, &duplicate), GW_OK);
    cr_assert_eq(gw_byte_trie_find(&trie, "a", 1), GW_TRIE_NO_VALUE);
    cr_assert_eq(gw_byte_trie_longest(&trie, "a", 1, 9), 0);
}
