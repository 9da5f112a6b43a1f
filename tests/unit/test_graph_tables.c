// SPDX-License-Identifier: MIT
// The numpy generator and BigBird's random tables: sums and rows were computed with numpy 2.4 and the methods of
// transformers' BigBirdBlockSparseAttention in training mode, which are google's too but for lengths. Sums are of the
// little-endian int32 table [heads][blocks - 2][random].
#include "file/digest.h"
#include "graph/bigbird.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void expect_permutation(uint32_t seed, const int32_t wanted[10]) {
    gw_numpy_random random;
    int32_t values[10];
    for (int i = 0; i < 10; i++) values[i] = i;
    gw_numpy_seed(&random, seed);
    gw_numpy_shuffle(&random, values, 10);
    cr_assert_arr_eq(values, wanted, sizeof values, "seed %u", seed);
}

Test(graph_tables, numpy_permutations) {
    expect_permutation(0, (const int32_t[10]){2, 8, 4, 9, 1, 6, 7, 3, 0, 5});
    expect_permutation(42, (const int32_t[10]){8, 1, 5, 0, 7, 2, 9, 4, 3, 6});
}

// The 10,000th word of MT19937 with its usual seed (the C++ standard, [rand.predef]): the state is refilled 16 times.
Test(graph_tables, ten_thousandth_word) {
    gw_numpy_random random;
    gw_numpy_seed(&random, 5489);
    uint32_t word = 0;
    for (int i = 0; i < 10000; i++) word = gw_numpy_u32(&random);
    cr_assert_eq(word, 4123659995u);
}

Test(graph_tables, interval_edges) {
    gw_numpy_random drawn, untouched;
    gw_numpy_seed(&drawn, 1);
    gw_numpy_seed(&untouched, 1);
    cr_assert_eq(gw_numpy_interval(&drawn, 0), 0u);
    cr_assert_eq(gw_numpy_interval(&drawn, UINT32_MAX), gw_numpy_u32(&untouched), "max 0 must not draw");
    for (int i = 0; i < 1000; i++) cr_assert_leq(gw_numpy_interval(&drawn, 4), 4u);
}

typedef struct {
    int tokens, block, random, layer, heads, max_positions;
    const char *md5;
    int32_t first[4], last[4]; // of head 0's first row, of the last head's last row
    bool google;
} golden;

static const golden goldens[] = {
    {4096, 64, 3, 0, 12, 4096, "5300aab7f8730aa5db159295399ae7a0", {9, 14, 7}, {3, 5, 7}},
    {4096, 64, 3, 1, 12, 4096, "cb773e8631762bc14d747549b2639237", {5, 6, 7}, {10, 4, 8}},
    {4096, 64, 3, 11, 12, 4096, "6e2046bcc6eb04b3d3b50885a653bb2e", {9, 6, 11}, {14, 3, 12}},
    {1024, 64, 3, 0, 12, 4096, "ca76da5c9597dda2018bc5f3b5325d67", {9, 14, 7}, {6, 7, 10}},
    {3072, 64, 3, 0, 12, 4096, "749faa5d630540bc1e51a064db4ea61b", {9, 14, 7}, {9, 4, 15}},
    {3072, 64, 3, 5, 6, 4096, "61669c05e868b0b536f36cfb4592a84a", {8, 4, 10}, {1, 4, 6}},
    {768, 64, 3, 0, 12, 4096, "b75dba21e228634c52c5d6440ef4ddf7", {4, 6, 7}, {3, 5, 6}},
    {1088, 64, 3, 0, 12, 4096, "722f7336a44b74c2fd5bfb8b2cd99fda", {4, 6, 7}, {4, 2, 7}},
    {1536, 64, 3, 0, 12, 4096, "1ab9b8747c4e542a2418f124e9c515a2", {4, 6, 7}, {7, 8, 5}},
    {2048, 64, 3, 0, 12, 4096, "b3b41ecb9928d705a26fd5151d365768", {4, 6, 7}, {5, 3, 8}},
    {2048, 64, 3, 7, 12, 4096, "1a7b35b2a0f904fe35582d058606fec0", {8, 5, 7}, {7, 9, 6}},
    {832, 64, 3, 5, 2, 1024, "0c903726d322de24ec78f1022743043d", {5, 8, 4}, {4, 2, 3}},
    // other models: fewer positions, positions that no block divides, small and large blocks, other counts
    {1024, 64, 3, 2, 2, 1024, "20b465ebf26985c45463eaaaa814b9b9", {12, 8, 7}, {9, 14, 2}},
    {1024, 64, 3, 5, 4, 3000, "a412f887b2f5147e5eac828729ff3c3a", {8, 4, 10}, {4, 10, 1}},
    {512, 16, 2, 3, 4, 512, "364ba31f752a838e5b19537b892e21f1", {6, 4}, {7, 2}},
    {1024, 16, 3, 5, 6, 4096, "2458d0525d1fd34729934ee28bac0805", {48, 46, 28}, {52, 20, 40}},
    {4096, 128, 4, 23, 16, 4096, "50c011f6e5a9213c92e9a7b10ced666a", {7, 4, 3, 5}, {4, 5, 7, 1}},
    // rows 2 and 3 have one candidate, which counts twice
    {3072, 192, 2, 1, 3, 4096, "b3a9000e63e3ed6cd2cbba433ce87b0c", {3, 4}, {4, 2}},
    // google: the fixed plan for 2,048 tokens, always drawn for 4,096; ranges of fewer blocks than 2 r + 5
    {2048, 64, 3, 0, 12, 4096, "9feddb363fc03a63321347a3713a20dc", {9, 14, 7}, {6, 9, 7}, true},
    {2048, 64, 3, 7, 12, 4096, "f7aabb2a5f5a8a47f9bd970f44df3ffc", {11, 13, 5}, {13, 9, 8}, true},
    {1024, 64, 3, 2, 2, 1024, "f5ff9147901d35d77d46ad0ce366abed", {7, 3, 13}, {6, 1, 9}, true},
    {1536, 64, 3, 0, 12, 4096, "1ab9b8747c4e542a2418f124e9c515a2", {4, 6, 7}, {7, 8, 5}, true},
    {720, 16, 20, 4, 3, 4096, "b3c792927641e7451baf2b41d3bd18d1", {22, 21, 3, 12}, {33, 27, 26, 36}, true},
    {528, 16, 28, 5, 2, 1024, "8cd5a647b6e07f010ffcf30ef0db814e", {10, 18, 3, 5}, {9, 4, 14, 5}, true},
    {600, 100, 1, 3, 2, 1024, "3df405b59b5e7946a322f696421735fb", {3}, {2}, true},
    {600, 100, 2, 3, 2, 1024, "cd226206306c7fbf6088e1483b4e06ad", {3, 3}, {2, 2}, true},
    {4096, 512, 1, 0, 2, 8192, "617e215361fa7374000ba6d988fc668f", {5}, {5}, true},
};

Test(graph_tables, golden_tables) {
    for (size_t g = 0; g < sizeof goldens / sizeof goldens[0]; g++) {
        const golden *want = &goldens[g];
        const int blocks = want->tokens / want->block;
        const gw_bigbird_shape shape = {want->block,         blocks,      want->random, want->layer, want->heads,
                                        want->max_positions, want->google};
        const int64_t count = (int64_t)want->heads * (blocks - 2) * want->random;
        int32_t *table;
        cr_assert_eq(gw_bigbird_table(&shape, &table), GW_OK);
        const int shown = want->random < 4 ? want->random : 4;
        for (int k = 0; k < shown; k++) {
            cr_assert_eq(table[k], want->first[k], "golden %zu", g);
            cr_assert_eq(table[count - shown + k], want->last[k], "golden %zu", g);
        }
        gw_md5 *md5;
        char hex[33];
        cr_assert_eq(gw_md5_start(&md5), GW_OK);
        gw_md5_add(md5, table, count * (int64_t)sizeof *table);
        gw_md5_finish_hex(md5, hex);
        cr_assert_str_eq(hex, want->md5, "golden %zu", g);
        free(table);
    }
}

static void expect_refusal(gw_bigbird_shape shape, gw_status status, const char *said) {
    int32_t *table;
    cr_assert_eq(gw_bigbird_table(&shape, &table), status, "%s", said);
    cr_assert_null(table);
    cr_assert(strstr(gw_message(), said) != NULL, "'%s' lacks '%s'", gw_message(), said);
}

Test(graph_tables, refuses_what_the_implementations_refuse) {
    // 3,072 tokens are 48 blocks, the model holds 16; 990 tokens are padded to 1,024
    expect_refusal((gw_bigbird_shape){64, 48, 3, 0, 2, 1024, false}, GW_ERR_RANGE, "1024 positions");
    expect_refusal((gw_bigbird_shape){64, 16, 3, 0, 2, 1000, false}, GW_ERR_RANGE, "1000 positions");
    // 3,072 tokens are 12 blocks of 256, of which row 2 may draw none; of 192 it may draw one, row 1 two
    expect_refusal((gw_bigbird_shape){256, 12, 3, 0, 2, 4096, false}, GW_ERR_UNSUPPORTED, "row 2 has 0 candidates");
    expect_refusal((gw_bigbird_shape){192, 16, 3, 0, 2, 4096, false}, GW_ERR_UNSUPPORTED,
                   "row 1 has 2 candidates for 3");
    // drawn for 16 blocks, the input has 8
    expect_refusal((gw_bigbird_shape){512, 8, 1, 0, 2, 8192, false}, GW_ERR_UNSUPPORTED, "past the input's end");
    expect_refusal((gw_bigbird_shape){64, 16, 0, 0, 2, 4096, false}, GW_ERR_UNSUPPORTED, "at least 1 random block");
    // google: 513 to 704 tokens with its usual numbers; a count that falls short by one
    expect_refusal((gw_bigbird_shape){64, 9, 3, 0, 2, 4096, true}, GW_ERR_UNSUPPORTED,
                   "google-research/bigbird has no");
    expect_refusal((gw_bigbird_shape){64, 11, 3, 0, 2, 4096, true}, GW_ERR_UNSUPPORTED, "0 candidates for 2");
    expect_refusal((gw_bigbird_shape){32, 17, 7, 9, 2, 4096, true}, GW_ERR_UNSUPPORTED, "3 candidates for 4");
    expect_refusal((gw_bigbird_shape){512, 3, 1, 0, 2, 4096, true}, GW_ERR_UNSUPPORTED, "at least 4 blocks");
}
