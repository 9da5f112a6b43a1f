// SPDX-License-Identifier: MIT
// Merging by passes over bytes, before the sweep and alone, against the definition; and the sweep without passes.
#include "base/memory.h"
#include "bpe_reference.h"
#include "text/dna/bpe_sweep.h"
#include "text/dna/vocabulary.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1200 };

// What passes are planned from: id 10 + k merges merges[k].
static void parts_of(const ref_merges *merges, int32_t parts[10 + REF_MOST_TOKENS][2]) {
    memset(parts, 0, 10 * sizeof *parts);
    memcpy(parts + 10, merges->merges, (size_t)merges->count * sizeof *parts);
}

// Sweeps after passes of 64 tokens at a time (where the processor makes them) and of one, and without any.
enum { WAYS = 3 };
static const char *const ways[WAYS] = {"vectors", "plain passes", "no passes"};

typedef struct {
    ref_merges merges;
    gw_tokenizer *tokenizer;
    gw_bpe_sweep sweeps[WAYS];
} dense_case;

static void open_case(dense_case *c) {
    cr_assert_eq(gw_tokenizer_from_merges(c->merges.merges, c->merges.count, &c->tokenizer), GW_OK, "%s", gw_message());
    const gw_dna_vocabulary *v = c->tokenizer->state;
    for (int i = 0; i < WAYS; i++) {
        const bool vectors = i == 0 && gw_dense_has_vectors();
        cr_assert_eq(gw_bpe_sweep_make(&c->sweeps[i], &v->pairs, (const int32_t(*)[2])v->parts, c->tokenizer->size,
                                       GW_FIRST_MERGE, vectors),
                     GW_OK, "%s", gw_message());
        c->sweeps[i].dense_from = i == WAYS - 1 ? INT32_MAX : 0;
    }
}

static void close_case(dense_case *c) {
    for (int i = 0; i < WAYS; i++) gw_bpe_sweep_free(&c->sweeps[i]);
    gw_tokenizer_free(c->tokenizer);
}

static void assert_ids(dense_case *c, const char *text, int64_t length, const int32_t *expected, int64_t count) {
    for (int i = 0; i < WAYS; i++) {
        gw_encoded found;
        cr_assert_eq(gw_dna_encode(&c->sweeps[i], text, length, &found), GW_OK, "%s", gw_message());
        cr_assert_eq(found.count, count, "%s: %lld tokens, expected %lld: %.*s", ways[i], (long long)found.count,
                     (long long)count, (int)length, text);
        for (int64_t k = 0; k < count; k++)
            cr_assert_eq(found.tokens[k], expected[k], "%s: token %lld is %d, expected %d: %.*s", ways[i], (long long)k,
                         found.tokens[k], expected[k], (int)length, text);
    }
}

static void assert_same_ids(dense_case *c, const char *bases, int64_t length) {
    int32_t expected[LONGEST];
    assert_ids(c, bases, length, expected,
               ref_encode_by_rank(&c->merges, expected, ref_letters(bases, length, expected)));
}

// Runs of one letter, of two, of three, and runs within other letters, around the ends of vectors.
static void compare_at_borders(dense_case *c, gw_random *random) {
    static const char *const units[] = {"A", "AC", "ACA", "N", "CCA"};
    static const int64_t middles[] = {1, 63, 64, 65, 127, 128, 129, 191, 192, 193};
    char bases[LONGEST];
    for (int u = 0; u < 5; u++)
        for (int m = 0; m < 10; m++) {
            const int64_t width = (int64_t)strlen(units[u]), before = (int64_t)gw_random_below(random, 70);
            const int64_t length = before + middles[m] + (int64_t)gw_random_below(random, 3) * 40;
            ref_random_bases(random, 0, bases, length);
            for (int64_t i = 0; i < middles[m]; i++) bases[before + i] = units[u][i % width];
            assert_same_ids(c, bases, length);
            assert_same_ids(c, bases + before, middles[m]);
        }
}

static void compare(dense_case *c, gw_random *random) {
    char bases[LONGEST];
    open_case(c);
    for (int kind = 0; kind < 5; kind++) {
        for (int64_t length = 0; length < 4; length++) {
            ref_random_bases(random, kind, bases, length);
            assert_same_ids(c, bases, length);
        }
        const int64_t length = (int64_t)gw_random_below(random, LONGEST);
        ref_random_bases(random, kind, bases, length);
        assert_same_ids(c, bases, length);
    }
    compare_at_borders(c, random);
    close_case(c);
}

Test(bpe_dense, arbitrary_vocabularies_smaller_and_larger_than_a_byte) {
    static const int32_t counts[] = {1, 2, 7, 60, 245, 246, 247, 300, 400};
    gw_random random = gw_random_at(11, GW_SITE_TEST, 0, 0);
    dense_case c;
    for (int round = 0; round < 18; round++) {
        ref_arbitrary_merges(&random, counts[round % 9], &c.merges);
        compare(&c, &random);
    }
}

Test(bpe_dense, learnt_vocabularies) {
    gw_random random = gw_random_at(12, GW_SITE_TEST, 0, 0);
    char bases[6000];
    int32_t tokens[sizeof bases];
    dense_case c;
    for (int kind = 0; kind < 5; kind++) {
        ref_random_bases(&random, kind, bases, sizeof bases);
        ref_train(tokens, ref_letters(bases, sizeof bases, tokens), 350, &c.merges);
        compare(&c, &random);
    }
}

// The merges that double a run: what is left at the end of one depends on where pairing began.
Test(bpe_dense, every_length_of_a_run) {
    dense_case c = {.merges = {{{5, 5}, {10, 10}, {11, 11}, {12, 12}, {13, 13}, {14, 14}, {15, 15}, {16, 5}}, 8}};
    char bases[LONGEST];
    open_case(&c);
    for (int64_t before = 0; before < 3; before++)
        for (int64_t run = 0; run < 400; run++) {
            memset(bases, 'C', (size_t)(before + run + 1));
            memset(bases + before, 'A', (size_t)run);
            assert_same_ids(&c, bases, before + run + run % 2);
        }
    close_case(&c);
}

// Bytes that are no letters give [UNK] or nothing, which never merge; words end between them.
Test(bpe_dense, what_is_no_letter_stays_between) {
    dense_case c = {.merges = {{{5, 6}, {10, 10}}, 2}}; // AC, ACAC
    open_case(&c);
    const char *text = "ACac\nacA\xC3\xA9"
                       "CNACAC-";
    assert_ids(&c, text, (int64_t)strlen(text), (int32_t[]){11, 1, 10, 5, 1, 6, 9, 11, 1}, 9);
    close_case(&c);
}

// Merges that cannot meet share a pass; every merge is in one pass, after all that it is made from.
Test(bpe_dense, plan_holds_each_merge_once_and_in_an_order_that_works) {
    gw_random random = gw_random_at(13, GW_SITE_TEST, 0, 0);
    ref_merges merges;
    static int32_t parts[10 + REF_MOST_TOKENS][2];
    gw_bpe_dense dense;
    ref_arbitrary_merges(&random, 400, &merges);
    parts_of(&merges, parts);
    gw_dense_plan(&dense, (const int32_t(*)[2])parts, 10, 410, true);
    cr_assert_eq(dense.ids, 256);
    int pass_of[256], made = 0;
    memset(pass_of, -1, sizeof pass_of);
    for (int i = 0; i < dense.count; i++)
        for (int p = 0; p < dense.passes[i].pairs; p++, made++) {
            const gw_dense_pass *pass = &dense.passes[i];
            const int id = pass->merged[p];
            cr_assert(id >= 10 && pass_of[id] == -1);
            cr_assert(pass->left[p] == parts[id][0] && pass->right[p] == parts[id][1]);
            cr_assert(pass->pairs == 1 || pass->left[p] != pass->right[p]);
            cr_assert(pass->left[p] < 10 || (pass_of[pass->left[p]] >= 0 && pass_of[pass->left[p]] < i));
            cr_assert(pass->right[p] < 10 || (pass_of[pass->right[p]] >= 0 && pass_of[pass->right[p]] < i));
            pass_of[id] = i;
        }
    cr_assert_eq(made, 246);
    gw_dense_plan(&dense, (const int32_t(*)[2])parts, 300, 410, true); // letters that do not fit a byte
    cr_assert_eq(dense.count, 0);
    gw_dense_plan(&dense, (const int32_t(*)[2])parts, 10, 10, true);
    cr_assert(dense.count == 0 && dense.ids == 10);
    gw_dense_plan(&dense, (const int32_t(*)[2])parts, 10, 410, false);
    cr_assert(dense.count > 0 && dense.ids > 10 && dense.ids < 256);
}
