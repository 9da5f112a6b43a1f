// SPDX-License-Identifier: MIT
// The cache of outputs: what it finds, what it forgets, and keys that share a hash's bucket.
#include "network/forward.h"

#include <criterion/criterion.h>
#include <string.h>

static gw_output_key key_of(const int32_t *tokens, int64_t count, int64_t asked) {
    return (gw_output_key){.tokens = tokens, .count = count, .asked = asked};
}

Test(output_cache, finds_what_was_added) {
    gw_output_cache *cache;
    int32_t tokens[] = {2, 7, 8, 9, 3};
    const float outputs[] = {1.5f, -2};
    cr_assert_eq(gw_output_cache_new(8, sizeof outputs, 4, &cache), GW_OK);
    cr_assert_eq(gw_output_cache_find(cache, key_of(tokens, 5, 0)), -1);
    const int64_t entry = gw_output_cache_add(cache, key_of(tokens, 5, 0));
    cr_assert_eq(gw_output_cache_find(cache, key_of(tokens, 5, 0)), entry);
    cr_assert_null(gw_output_cache_get(cache, entry), "outputs that are still to come");
    memcpy(gw_output_cache_memory(cache, entry), outputs, sizeof outputs);
    cr_assert_null(gw_output_cache_get(cache, entry), "outputs that are not complete");
    gw_output_cache_complete(cache, entry);
    cr_assert_arr_eq(gw_output_cache_get(cache, entry), outputs, sizeof outputs);
    cr_expect_eq(gw_output_cache_find(cache, key_of(tokens, 4, 0)), -1, "a shorter sequence");
    cr_expect_eq(gw_output_cache_find(cache, key_of(tokens, 5, 1)), -1, "another token asked about");
    tokens[2] = 10; // the cache has a copy
    cr_expect_eq(gw_output_cache_find(cache, key_of(tokens, 5, 0)), -1, "another token");
    gw_output_cache_clear(cache);
    tokens[2] = 8;
    cr_expect_eq(gw_output_cache_find(cache, key_of(tokens, 5, 0)), -1, "after clearing");
    gw_output_cache_free(cache);
}

// Sequences so large that the cache holds no more of them than it must: chains of its 3 buckets meet.
Test(output_cache, forgets_the_oldest) {
    enum { LONGEST = 1 << 23, LEAST = 3, KEYS = 40 };
    gw_output_cache *cache;
    int32_t tokens[KEYS];
    cr_assert_eq(gw_output_cache_new(LONGEST, sizeof(int), LEAST, &cache), GW_OK);
    for (int i = 0; i < KEYS; i++) {
        tokens[i] = i;
        const int64_t added = gw_output_cache_add(cache, key_of(&tokens[i], 1, 0));
        memcpy(gw_output_cache_memory(cache, added), &i, sizeof i);
        gw_output_cache_complete(cache, added);
        for (int j = 0; j <= i; j++) {
            const int64_t entry = gw_output_cache_find(cache, key_of(&tokens[j], 1, 0));
            cr_assert_eq(entry >= 0, j > i - LEAST, "key %d after key %d", j, i);
            if (entry >= 0) cr_assert_eq(*(const int *)gw_output_cache_get(cache, entry), j);
        }
    }
    gw_output_cache_free(cache);
}
