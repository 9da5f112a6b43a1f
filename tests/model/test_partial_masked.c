// SPDX-License-Identifier: MIT
// Logits of masked tokens from the rows that lead to them, against those of whole runs.
#include "base/random.h"
#include "fixtures.h"
#include "network/partial.h"
#include "text/dna/vocabulary.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { POSITIONS = 400, SEQUENCES = 9, ROOM = SEQUENCES * POSITIONS };
#define MEMORY INT64_C(1000000000)

static int64_t start[SEQUENCES + 1];
static int32_t token[ROOM], masked[SEQUENCES];

static gw_model *model_of(const char *pattern, const char *stem, int layers) {
    gw_config config = fixture_config(0, 0);
    config.family = stem ? GW_FAMILY_DNA : GW_FAMILY_BIGBIRD;
    config.positions = POSITIONS;
    config.layers = layers;
    config.pre_norm = config.last_norm = stem != NULL;
    config.rotary = stem ? 8 : 0;
    cr_assert_eq(gw_pattern_parse(pattern, &config.pattern), GW_OK, "%s", gw_message());
    if (stem) cr_assert_eq(gw_stem_parse(stem, config.width, &config.stem), GW_OK, "%s", gw_message());
    gw_model *model = fixture_model_of(&config);
    gw_config_free(&config);
    cr_assert_eq(gw_model_freeze(model, GW_F32), GW_OK, "%s", gw_message());
    return model;
}

// Sequences of two lengths with a masked token each, at either end too.
static gw_batch batch_of(void) {
    gw_random random = gw_random_at(4, GW_SITE_TEST, 0, 0);
    for (int s = 0; s < SEQUENCES; s++) {
        const int64_t length = s % 4 == 3 ? 333 : 390;
        start[s + 1] = start[s] + length;
        for (int64_t i = start[s]; i < start[s + 1]; i++)
            token[i] = GW_SPECIAL_TOKENS + (int32_t)gw_random_below(&random, 4);
        masked[s] = (int32_t)(start[s] + s * (length - 1) / (SEQUENCES - 1));
        token[masked[s]] = GW_TOKEN_MASK;
    }
    return (gw_batch){.of = {[GW_ROWS_TOKENS] = {.sequences = SEQUENCES, .start = start, .token = token},
                             [GW_ROWS_MASKED] = {.count = SEQUENCES, .row = masked}}};
}

static void check(const char *pattern, const char *stem, int layers) {
    gw_model *model = model_of(pattern, stem, layers);
    const gw_batch batch = batch_of();
    const gw_network_options options = {
        .tokens = ROOM, .sequences = SEQUENCES, .masked = SEQUENCES, .output_rows = GW_OUTPUT_MASKED};
    gw_network *network;
    gw_partial *partial;
    const float *logits;
    cr_assert_eq(gw_network_new(model, &options, &network), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_network_forward(network, &batch, NULL), GW_OK, "%s", gw_message());
    const float *whole = gw_network_output(network, GW_ROWS_MASKED);
    const int64_t width = gw_network_output_width(network, GW_ROWS_MASKED);
    cr_assert_eq(gw_partial_new(model, GW_ROWS_MASKED, MEMORY, &partial), GW_OK, "%s", gw_message());
    cr_assert_not_null(partial);
    for (int round = 0; round < 2; round++) {
        cr_assert_eq(gw_partial_masked(partial, &batch, &logits), GW_OK, "%s", gw_message());
        cr_assert_not_null(logits, "%s", pattern);
        for (int64_t i = 0; i < SEQUENCES * width; i++)
            cr_expect_float_eq(logits[i], whole[i], 1e-5F * fmaxf(1, fabsf(whole[i])), "%s, %s: %g and %g", pattern,
                               stem ? stem : "no stem", (double)logits[i], (double)whole[i]);
    }
    gw_partial_free(partial);
    gw_network_free(network);
    gw_model_free(model);
}

Test(partial_masked, masked_tokens_have_the_logits_of_whole_runs) {
    check("window:3+block:8", NULL, 1);
    check("window:3+block:8", NULL, 3);
    check("window:3+random:1+block:8", NULL, 2);
    check("band:13+block:8", "conv:5+res:3@1,4", 2);
    check("window:5+causal+block:16", "res:3@1,2", 2);
}

// Not taken: full attention within a wide window, and a sequence with two masked tokens.
Test(partial_masked, other_batches_are_left_to_whole_runs) {
    gw_model *wide = model_of("window:61+block:8", NULL, 2), *near = model_of("window:3+block:8", NULL, 2);
    gw_batch batch = batch_of();
    gw_partial *partial;
    const float *logits;
    cr_assert_eq(gw_partial_new(wide, GW_ROWS_MASKED, MEMORY, &partial), GW_OK);
    cr_assert_eq(gw_partial_masked(partial, &batch, &logits), GW_OK, "%s", gw_message());
    cr_expect_null(logits);
    gw_partial_free(partial);
    cr_assert_eq(gw_partial_new(near, GW_ROWS_MASKED, MEMORY, &partial), GW_OK);
    batch.of[GW_ROWS_MASKED].row[1] = (int32_t)start[1] - 1;
    cr_assert_eq(gw_partial_masked(partial, &batch, &logits), GW_OK, "%s", gw_message());
    cr_expect_null(logits);
    gw_partial_free(partial);
    cr_assert_eq(gw_partial_new(near, GW_ROWS_MASKED, 1000, &partial), GW_OK);
    cr_expect_null(partial);
    gw_model_free(wide);
    gw_model_free(near);
}

// A masked token in the middle leads to most rows of a deep model, one at an end to few. What was taken of a batch
// before a sequence was not is forgotten.
Test(partial_masked, a_batch_that_is_left_to_a_whole_run_leaves_nothing_behind) {
    enum { LENGTH = 64 };
    gw_model *model = model_of("window:3+block:8", NULL, 10);
    gw_partial *partial;
    const float *logits;
    int32_t tokens[2 * LENGTH], rows[2] = {0, LENGTH + LENGTH / 2};
    int64_t starts[] = {0, LENGTH, 2 * LENGTH};
    for (int i = 0; i < 2 * LENGTH; i++) tokens[i] = GW_SPECIAL_TOKENS + i * 7 % 11 % 4;
    gw_batch batch = {.of = {[GW_ROWS_TOKENS] = {.sequences = 2, .start = starts, .token = tokens},
                             [GW_ROWS_MASKED] = {.count = 2, .row = rows}}};
    cr_assert_eq(gw_partial_new(model, GW_ROWS_MASKED, MEMORY, &partial), GW_OK, "%s", gw_message());
    cr_assert_not_null(partial);
    cr_assert_eq(gw_partial_masked(partial, &batch, &logits), GW_OK, "%s", gw_message());
    cr_expect_null(logits);
    for (int i = 0; i < LENGTH; i++) tokens[i] = GW_SPECIAL_TOKENS + i * 5 % 7 % 4; // another first sequence
    batch.of[GW_ROWS_TOKENS].sequences = batch.of[GW_ROWS_MASKED].count = 1;
    cr_assert_eq(gw_partial_masked(partial, &batch, &logits), GW_OK, "%s", gw_message());
    cr_expect_not_null(logits);
    gw_partial_free(partial);
    gw_model_free(model);
}
