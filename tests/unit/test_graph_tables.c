// SPDX-License-Identifier: MIT
// The numpy generator and transformers' random tables: sums and rows were computed with numpy 2.4 and the methods of
// transformers' BigBirdBlockSparseAttention in training mode. Sums are of the little-endian int32 table
// [heads][blocks - 2][random].
#include "base/md5.h"
#include "graph/bigbird.h"
#include "graph/numpy_random.h"

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
};

Test(graph_tables, golden_tables) {
    for (size_t g = 0; g < sizeof goldens / sizeof goldens[0]; g++) {
        const golden *want = &goldens[g];
        const int blocks = want->tokens / want->block;
        const gw_bigbird_shape shape = {want->block, blocks,      want->random,
                                            want->layer, want->heads, want->max_positions};
        const int64_t count = (int64_t)want->heads * (blocks - 2) * want->random;
        int32_t *table;
        cr_assert_eq(gw_bigbird_table(&shape, &table), GW_OK);
        for (int k = 0; k < want->random; k++) {
            cr_assert_eq(table[k], want->first[k], "golden %zu", g);
            cr_assert_eq(table[count - want->random + k], want->last[k], "golden %zu", g);
        }
        gw_md5 md5;
        char hex[33];
        gw_md5_start(&md5);
        gw_md5_add(&md5, table, count * (int64_t)sizeof *table);
        gw_md5_finish_hex(&md5, hex);
        cr_assert_str_eq(hex, want->md5, "golden %zu", g);
        free(table);
    }
}

Test(graph_tables, refuses_what_transformers_refuses) {
    int32_t *table;
    // 3,072 tokens are 48 blocks, the model holds 16
    cr_assert_eq(gw_bigbird_table(&(gw_bigbird_shape){64, 48, 3, 0, 2, 1024}, &table), GW_ERR_RANGE);
    cr_assert_null(table);
    cr_assert(strstr(gw_message(), "1024 positions") != NULL, "%s", gw_message());
    // 1,024 tokens are 4 blocks of 256, of which row 2 may draw none
    cr_assert_eq(gw_bigbird_table(&(gw_bigbird_shape){256, 12, 3, 0, 2, 4096}, &table), GW_ERR_UNSUPPORTED);
    cr_assert_null(table);
    cr_assert(strstr(gw_message(), "candidates for 3 random blocks") != NULL, "%s", gw_message());
}
