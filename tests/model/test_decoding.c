// SPDX-License-Identifier: MIT
// Decoding step by step: the logits are those of whole targets (which tests/model/test_parity.c holds to transformers),
// whatever targets go on with whatever others, and a failed call says why.
#include "network/decoding.h"
#include "network/network.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES = 2, TOKENS = 130, LENGTH = 9, PATHS = 3, VOCABULARY = 40 };
static const double bound = 2e-5;

static gw_model *make_model(void) {
    gw_config config;
    gw_model *model;
    cr_assert_eq(gw_config_load("tests/data/parity/bigbird_pegasus.json", &config), GW_OK, "%s", gw_message());
    config.initializer_range = 0.5;
    cr_assert_eq(gw_model_new(&config, NULL, 3, &model), GW_OK, "%s", gw_message());
    gw_config_free(&config);
    return model;
}

// Sources of 100 and 30 tokens.
static gw_batch make_sources(void) {
    static int64_t start[] = {0, 100, TOKENS};
    static int32_t token[TOKENS];
    for (int i = 0; i < TOKENS; i++) token[i] = 3 + i * 7 % 37;
    return (gw_batch){.of = {[GW_ROWS_TOKENS] = {.sequences = SOURCES, .start = start, .token = token}}};
}

// Path p of source s: token i. Paths 0 and 1 of a source are the same up to the fourth token, 2 goes its own way.
static int32_t token_of(int s, int p, int i) {
    const int way = p == 1 && i > 3 ? 5 : p == 2 && i > 0 ? 11 : 0;
    return i == 0 ? 2 : 3 + (i * 13 + s * 4 + way) % 37;
}

// logits [SOURCES][LENGTH][VOCABULARY] of path p, known as a whole.
static void whole(gw_model *model, int p, float *logits) {
    const gw_network_options options = {.tokens = TOKENS, .sequences = SOURCES, .targets = SOURCES * LENGTH};
    int64_t start[] = {0, LENGTH, 2 * LENGTH};
    int32_t token[SOURCES * LENGTH];
    for (int i = 0; i < SOURCES * LENGTH; i++) token[i] = token_of(i / LENGTH, p, i % LENGTH);
    gw_batch batch = make_sources();
    batch.of[GW_ROWS_TARGET] = (gw_rows){.sequences = SOURCES, .start = start, .token = token};
    gw_network *network;
    cr_assert_eq(gw_network_new(model, &options, &network), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_network_forward(network, &batch, NULL), GW_OK, "%s", gw_message());
    memcpy(logits, gw_network_output(network, GW_ROWS_TARGET), sizeof(float) * SOURCES * LENGTH * VOCABULARY);
    gw_network_free(network);
}

static gw_decoding *make_decoding(gw_model *model) {
    const gw_decoding_options options = {SOURCES, TOKENS, SOURCES * PATHS, LENGTH};
    gw_decoding *decoding;
    cr_assert_eq(gw_decoding_new(model, &options, &decoding), GW_OK, "%s", gw_message());
    return decoding;
}

// Row of path p: in the first step one of each source, then one of each path, in an order that changes.
static int row_of(int s, int p, int step) {
    return step == 0 ? s : s * PATHS + (p + step) % PATHS;
}

static void check_paths(gw_model *model, gw_decoding *decoding) {
    static float expected[PATHS][SOURCES * LENGTH * VOCABULARY];
    const gw_batch batch = make_sources();
    for (int p = 0; p < PATHS; p++) whole(model, p, expected[p]);
    cr_assert_eq(gw_decoding_begin(decoding, &batch), GW_OK, "%s", gw_message());
    for (int step = 0; step < LENGTH; step++) {
        gw_decoding_row rows[SOURCES * PATHS] = {{0}};
        const float *logits;
        for (int s = 0; s < SOURCES; s++)
            for (int p = 0; p < PATHS; p++)
                rows[row_of(s, p, step)] = (gw_decoding_row){
                    s, step == 0 ? -1 : row_of(s, step == 4 && p == 1 ? 0 : p, step - 1), token_of(s, p, step)};
        const int64_t count = step == 0 ? SOURCES : SOURCES * PATHS;
        cr_assert_eq(gw_decoding_step(decoding, rows, count, &logits), GW_OK, "%s", gw_message());
        for (int s = 0; s < SOURCES; s++)
            for (int p = 0; p < PATHS; p++)
                for (int v = 0; v < VOCABULARY; v++) {
                    const double found = (double)logits[row_of(s, p, step) * VOCABULARY + v],
                                 want = (double)expected[p][(s * LENGTH + step) * VOCABULARY + v];
                    cr_assert(fabs(found - want) <= bound * fmax(1, fabs(want)),
                              "step %d, source %d, path %d, token %d: %.9g, expected %.9g", step, s, p, v, found, want);
                }
    }
}

Test(decoding, steps_are_whole_targets) {
    gw_model *model = make_model();
    gw_decoding *decoding = make_decoding(model);
    check_paths(model, decoding);
    check_paths(model, decoding); // nothing of the first texts is left
    gw_decoding_free(decoding);
    cr_assert_eq(gw_model_freeze(model, GW_F32), GW_OK);
    decoding = make_decoding(model);
    check_paths(model, decoding);
    cr_expect_eq(gw_decoding_cache_bytes(decoding), (SOURCES * PATHS * LENGTH + TOKENS) * 16 * 2 * 3 * 4);
    gw_decoding_free(decoding);
    gw_model_free(model);
}

Test(decoding, refusals) {
    gw_model *model = make_model();
    gw_decoding *decoding = make_decoding(model);
    const gw_batch batch = make_sources();
    const float *logits;
    const gw_decoding_row outside = {0, -1, VOCABULARY}, good = {0, -1, 2};
    cr_assert_eq(gw_decoding_begin(decoding, &batch), GW_OK);
    cr_expect_eq(gw_decoding_step(decoding, &outside, 1, &logits), GW_ERR_RANGE);
    cr_expect_not_null(strstr(gw_message(), "token 40"), "%s", gw_message());
    for (int i = 0; i < LENGTH; i++) {
        const gw_decoding_row row = {0, i == 0 ? -1 : 0, good.token};
        cr_assert_eq(gw_decoding_step(decoding, &row, 1, &logits), GW_OK, "%s", gw_message());
    }
    cr_expect_eq(gw_decoding_step(decoding, &good, 1, &logits), GW_ERR_RANGE);
    gw_decoding_free(decoding);
    const gw_decoding_options too_long = {1, 8, 1, 129};
    cr_expect_eq(gw_decoding_new(model, &too_long, &decoding), GW_ERR_RANGE);
    cr_expect_not_null(strstr(gw_message(), "128 positions"), "%s", gw_message());
    const gw_network_options no_targets = {.tokens = 8, .sequences = 1};
    gw_network *network;
    cr_expect_eq(gw_network_new(model, &no_targets, &network), GW_ERR_UNSUPPORTED);
    gw_model_free(model);
}
