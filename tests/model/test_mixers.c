// SPDX-License-Identifier: MIT
// Mixers' words: what a config's pattern says, how it is written back, and what is refused. And models that have them:
// losses and gradients are the reference's, whatever the plan, and a sequence's the same in any batch.
#include "base/random.h"
#include "fixtures.h"
#include "gradient_check.h"
#include "model/mixer.h"
#include "model/model_parts.h"
#include "network/mixers/performer.h"
#include "reference/ref.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// What is held to the reference; the others have a test of their own (test_sbm.c). What hashing reads jumps where a
// token changes its bucket: with these chunks no step of the central differences makes one do so.
// 70 is more than a block of 64 keys has.
static const char *const specs[] = {"linear",
                                    "linear+causal",
                                    "performer:24+seed:3",
                                    "performer:8+causal+redraw:1",
                                    "linformer:12",
                                    "linformer:70",
                                    "nystrom:6+reach:2",
                                    "nystrom:70",
                                    "reformer:12x2",
                                    "reformer:8x1+causal",
                                    "etc:9+segment:7+distance:3",
                                    "etc:20+segment:5+globals:12+distance:2+hard+block:16",
                                    "etc:9+segment:7+distance:3+two-outputs+two-feed-forwards"};
enum { SPECS = sizeof specs / sizeof *specs, WIDTH = 16, SEED = 11 };

static void expect_text(const char *spec, const char *text, const char *provenance) {
    gw_config config = {0};
    cr_assert_eq(gw_config_use_pattern(&config, spec), GW_OK, "%s", gw_message());
    char *written = gw_config_pattern(&config), *named = gw_config_provenance(&config);
    cr_expect_str_eq(written, text);
    cr_expect_str_eq(named, provenance);
    gw_config again = {0};
    cr_assert_eq(gw_config_use_pattern(&again, written), GW_OK, "%s", gw_message());
    cr_expect(again.mixer == config.mixer &&
                  memcmp(again.mixer_number, config.mixer_number, sizeof again.mixer_number) == 0,
              "%s", spec);
    free(written);
    free(named);
}

Test(mixers, specs_and_their_text) {
    expect_text("window:3+global", "window:3+global:2", "window:3+global:2");
    expect_text("itc", "itc", "itc/seeded");
    expect_text("sbm", "sbm:128", "sbm:128/exact+seed:0");
    expect_text("sbm:16/exact+seed:3", "sbm:16+seed:3", "sbm:16/exact+seed:3");
    expect_text("shared+band:32+sbm/fastrg+loops", "sbm:128/fastrg+loops+shared+band:32",
                "sbm:128/fastrg+loops+shared+band:32+seed:0");
    expect_text("linear", "linear", "linear");
    expect_text("performer", "performer:256", "performer:256+seed:0");
    expect_text("seed:3+performer:64+redraw+causal", "performer:64+causal+redraw:1000+seed:3",
                "performer:64+causal+redraw:1000+seed:3");
    expect_text("linformer:64", "linformer:64", "linformer:64");
    expect_text("nystrom", "nystrom:64", "nystrom:64");
    expect_text("reach:3+nystrom:8", "nystrom:8+reach:3", "nystrom:8+reach:3");
    expect_text("reformer", "reformer:64x2", "reformer:64x2+seed:0");
    expect_text("reformer:32x4+causal+seed:9", "reformer:32x4+causal+seed:9", "reformer:32x4+causal+seed:9");
    expect_text("etc", "etc:84", "etc:84");
    expect_text("hard+etc:169+segment:27", "etc:169+segment:27+hard", "etc:169+segment:27+hard");
    expect_text("own+etc+hard", "etc:84+hard+own", "etc:84+hard+own");
    expect_text("two-feed-forwards+etc+two-outputs", "etc:84+two-outputs+two-feed-forwards",
                "etc:84+two-outputs+two-feed-forwards");
    expect_text("causal+linear", "linear+causal", "linear+causal");
}

static void expect_refusal(const char *spec, const char *said) {
    gw_config config = {0};
    cr_assert_neq(gw_config_use_pattern(&config, spec), GW_OK, "%s", spec);
    cr_assert(strstr(gw_message(), said) != NULL, "%s: %s", spec, gw_message());
}

Test(mixers, wrong_specs_are_named) {
    expect_refusal("itcc", "unknown part 'itcc'; known are itc[/TABLES]");
    expect_refusal("itcc", "seed:N; or another mixer: sbm, linear, performer, linformer, reformer, nystrom");
    expect_refusal("sbm+every:3", "'every' cannot be combined with sbm; allowed: loops, shared, band, seed");
    expect_refusal("sbm+window", "'window' cannot be combined with sbm");
    expect_refusal("causal+sbm", "'causal' cannot be combined with sbm");
    expect_refusal("sbm/dense", "unknown way to draw graphs 'dense' of sbm: expected one of exact|fastrg|bernoulli");
    expect_refusal("sbm+sbm:3", "'sbm' occurs twice");
    expect_refusal("sbm+loops:3", "'loops' takes no number");
    expect_refusal("sbm+seed", "'seed' needs a number");
    expect_refusal("linear:3", "'linear' takes no number");
    expect_refusal("linear+band:3", "'band' cannot be combined with linear; allowed: causal");
    expect_refusal("linformer:8+causal", "'causal' cannot be combined with linformer");
    expect_refusal("nystrom+causal", "'causal' cannot be combined with nystrom; allowed: reach");
    expect_refusal("nystrom:0", "nystrom: ");
    expect_refusal("nystrom+reach", "'reach' needs a number");
    expect_refusal("reformer:32x", "rounds");
    expect_refusal("reformer:0x2", "reformer: ");
    expect_refusal("reformer:32x2x2", "rounds");
    expect_refusal("etc+causal", "'causal' cannot be combined with etc");
    expect_refusal("etc:0", "etc: ");
    expect_refusal("full+loops", "unknown part 'loops'");
    expect_refusal("sbm:0", "pattern 'sbm:0': sbm: ");
    expect_refusal("sbm:1025", "sbm: ");
    expect_refusal("sbm:", "sbm: ");
}

Test(mixers, modes_of_a_model) {
    gw_config config = {0};
    cr_assert_eq(gw_config_use_pattern(&config, "sbm:8+band:2"), GW_OK);
    cr_assert_eq(gw_config_use_mode(&config, "seeded"), GW_ERR_UNSUPPORTED);
    cr_assert(strstr(gw_message(), "the model's own pattern is sbm:8+band:2") != NULL, "%s", gw_message());
    cr_assert_eq(gw_config_use_mode(&config, "sparse"), GW_ERR_RANGE);
    cr_assert_eq(gw_config_use_mode(&config, "full"), GW_OK);
    char *text = gw_config_pattern(&config);
    cr_assert_str_eq(text, "full");
    free(text);
}

// Projections of a block are orthogonal; products of features are the exponentials of products, more closely the more
// there are.
Test(mixers, random_features_estimate_the_softmax_kernel) {
    enum { SIZE = 8, FEATURES = 4096 };
    const gw_random_features few = {.features = 2 * SIZE, .size = SIZE, .seed = 5};
    const gw_random_features many = {.features = FEATURES, .size = SIZE, .seed = 6};
    static float drawn[FEATURES * SIZE];
    gw_random_features_draw(&few, 0, 0, drawn);
    for (int i = 0; i < 2 * SIZE; i++)
        for (int j = i - i % SIZE; j < i; j++) {
            double along = 0;
            for (int d = 0; d < SIZE; d++) along += (double)drawn[i * SIZE + d] * (double)drawn[j * SIZE + d];
            cr_expect(fabs(along) < 1e-5, "rows %d and %d: %g", i, j, along);
        }
    static double weight[FEATURES * SIZE], projected[2 * FEATURES];
    double pair[2 * SIZE], square[2] = {0}, product = 0, sum = 0;
    gw_random random = gw_random_at(1, GW_SITE_TEST, 0, 0);
    for (int i = 0; i < 2 * SIZE; i++) pair[i] = 0.5 * (double)gw_random_normal(&random);
    for (int d = 0; d < SIZE; d++) product += pair[d] * pair[SIZE + d];
    for (int i = 0; i < 2 * SIZE; i++) square[i / SIZE] += pair[i] * pair[i];
    gw_random_features_draw(&many, 1, 2, drawn);
    for (int i = 0; i < FEATURES * SIZE; i++) weight[i] = (double)drawn[i];
    ref_gemm(false, true, false, 2, FEATURES, SIZE, pair, weight, NULL, projected);
    for (int f = 0; f < FEATURES; f++)
        sum += exp(projected[f] + projected[FEATURES + f] - 0.5 / sqrt(SIZE) * (square[0] + square[1]));
    const double ratio = sum / FEATURES / exp(product / sqrt(SIZE));
    cr_expect(fabs(ratio - 1) < 0.1, "%g of the kernel", ratio);
}

static gw_model *model_of(const char *spec, double dropout) {
    gw_config config = fixture_config(0, dropout);
    cr_assert_eq(gw_config_use_pattern(&config, spec), GW_OK, "%s", gw_message());
    gw_model *model = fixture_model_of(&config);
    gw_config_free(&config);
    return model;
}

static gw_network *network_of(gw_model *model, bool training, bool recompute, bool plain) {
    return fixture_network_of(model, (gw_network_options){.masked = FIXTURE_MASKED,
                                                          .nsp_head = true,
                                                          .training = training,
                                                          .recompute = recompute,
                                                          .plain = plain,
                                                          .seed = SEED});
}

Test(mixers, gradients_are_those_of_the_reference) {
    const gw_batch batch = fixture_batch();
    for (int i = 0; i < SPECS; i++) {
        gw_model *model = model_of(specs[i], 0.25);
        gw_network *network = network_of(model, true, false, false);
        check_gradients(specs[i], model, network, &batch, SEED, NULL);
        gw_network_free(network);
        gw_model_free(model);
    }
}

// Memberships are learnt by layers, a table and a step without inputs.
Test(mixers, gradients_of_sampled_graphs_are_final_when_it_is_said) {
    const gw_batch batch = fixture_batch();
    for (int recompute = 0; recompute < 2; recompute++) {
        gw_model *model = model_of("sbm:4+shared", 0.25);
        gw_network *network = network_of(model, true, recompute, false);
        check_forward(network, &batch);
        check_finals(network, (float[GW_BATCH_ROWS]){[GW_ROWS_MASKED] = 1, [GW_ROWS_FIRST] = 1});
        gw_network_free(network);
        gw_model_free(model);
    }
}

// Structures of the three sequences: segments that overlap, are nested or of none, in any order; parts of 40 tokens.
enum { GLOBAL_TOKENS = 9 };
static int64_t global_starts[FIXTURE_SEQUENCES + 1] = {0, 4, 5, GLOBAL_TOKENS};
static int32_t global_tokens[GLOBAL_TOKENS] = {-1, 4, 5, -1, 2, -1, -1, 6, 3};
static int32_t global_begins[GLOBAL_TOKENS] = {-1, 20, 0, 90, 2, 60, 0, -1, 5};
static int32_t global_ends[GLOBAL_TOKENS] = {0, 55, 100, 100, 3, 96, 60, 0, 6};
static int32_t parts[FIXTURE_TOKENS], links[FIXTURE_TOKENS];

static int32_t predicted_rows[] = {1, 2, 6}, predicted_labels[] = {0, 1, 2}, encoded_rows[] = {4, 0, 7};

// Three global tokens predict the states of others.
static gw_batch structured_batch(void) {
    gw_batch batch = fixture_batch();
    batch.of[GW_ROWS_PREDICTED] = (gw_rows){.count = 3, .row = predicted_rows, .label = predicted_labels};
    batch.of[GW_ROWS_ENCODED] = (gw_rows){.count = 3, .row = encoded_rows};
    for (int i = 0; i < FIXTURE_TOKENS; i++) parts[i] = i / 40;
    batch.of[GW_ROWS_TOKENS].part = parts;
    batch.of[GW_ROWS_GLOBALS] = (gw_rows){.count = GLOBAL_TOKENS,
                                          .sequences = FIXTURE_SEQUENCES,
                                          .start = global_starts,
                                          .token = global_tokens,
                                          .begin = global_begins,
                                          .end = global_ends};
    return batch;
}

// Each third token with a global one of its sequence.
static int32_t *linked_tokens(const gw_batch *batch) {
    const gw_rows *tokens = &batch->of[GW_ROWS_TOKENS], *globals = &batch->of[GW_ROWS_GLOBALS];
    for (int s = 0; s < FIXTURE_SEQUENCES; s++)
        for (int64_t i = tokens->start[s]; i < tokens->start[s + 1]; i++)
            links[i] = i % 3 > 0 ? -1 : (int32_t)(i % (globals->start[s + 1] - globals->start[s]));
    return links;
}

// Also a second time, when the graphs are there, with links.
Test(mixers, gradients_by_structure_are_those_of_the_reference) {
    static const char *const structured[] = {"etc:9+distance:3",
                                             "etc:20+distance:2+hard+block:16",
                                             "etc:30+distance:4+hard+own+block:8",
                                             "etc:12+own",
                                             "etc:9+distance:3+two-outputs",
                                             "etc:9+distance:3+hard+two-feed-forwards",
                                             "etc:12+distance:2+two-outputs+two-feed-forwards"};
    gw_batch batch = structured_batch();
    for (int i = 0; i < (int)(sizeof structured / sizeof *structured); i++) {
        gw_model *model = model_of(structured[i], 0.25);
        gw_network *network = fixture_network_of(
            model,
            (gw_network_options){.masked = FIXTURE_MASKED, .training = true, .globals = GLOBAL_TOKENS, .contrasts = 5});
        for (int again = 0; again < 2; again++) {
            const gw_backend *kernels = model->parameters.mirror.kernels;
            cr_assert_eq(kernels->zero(gw_network_gradient(network), model->parameters.mirror.bytes), GW_OK);
            check_gradients(structured[i], model, network, &batch, SEED, NULL);
            batch.of[GW_ROWS_TOKENS].link = again == 0 ? linked_tokens(&batch) : NULL; // no other graph
        }
        gw_network_free(network);
        gw_model_free(model);
    }
}

// Norms before the layers, and what is behind the last one.
Test(mixers, layers_apart_have_norms_before_them_too) {
    const gw_batch batch = structured_batch();
    gw_config config = fixture_config(0, 0.25);
    config.pre_norm = config.last_norm = true;
    cr_assert_eq(gw_config_use_pattern(&config, "etc:12+distance:2+two-outputs+two-feed-forwards"), GW_OK);
    for (int contrasts = 0; contrasts < 2; contrasts++) {
        gw_model *model = fixture_model_of(&config);
        gw_network *network = fixture_network_of(model, (gw_network_options){.masked = FIXTURE_MASKED,
                                                                             .training = true,
                                                                             .globals = GLOBAL_TOKENS,
                                                                             .contrasts = contrasts > 0 ? 5 : 0});
        gw_batch given = batch;
        if (contrasts == 0) given.of[GW_ROWS_PREDICTED] = given.of[GW_ROWS_ENCODED] = (gw_rows){0};
        check_gradients("layers apart", model, network, &given, SEED, NULL);
        gw_network_free(network);
        gw_model_free(model);
    }
    gw_config_free(&config);
}

Test(mixers, structures_that_do_not_fit_are_refused) {
    gw_model *model = model_of("etc:9", 0);
    gw_network *network = fixture_network_of(model, (gw_network_options){.globals = GLOBAL_TOKENS});
    const struct {
        int at;
        int32_t token, begin, end;
        const char *said;
    } wrong[] = {{4, 2, 2, 8, "stands for tokens 2 to 8 of a sequence of 7"},
                 {1, 4, 55, 55, "stands for tokens 55 to 55"},
                 {8, 999, 5, 6, "global token 999"}};
    for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); i++) {
        gw_batch batch = structured_batch();
        const int at = wrong[i].at;
        int32_t *const array[] = {batch.of[GW_ROWS_GLOBALS].token, batch.of[GW_ROWS_GLOBALS].begin,
                                  batch.of[GW_ROWS_GLOBALS].end};
        const int32_t kept[] = {array[0][at], array[1][at], array[2][at]};
        array[0][at] = wrong[i].token, array[1][at] = wrong[i].begin, array[2][at] = wrong[i].end;
        cr_expect_eq(gw_network_forward(network, &batch, NULL), GW_ERR_RANGE);
        cr_expect(strstr(gw_message(), wrong[i].said) != NULL, "%s", gw_message());
        for (int a = 0; a < 3; a++) array[a][at] = kept[a];
    }
    gw_batch batch = structured_batch();
    batch.of[GW_ROWS_TOKENS].link = linked_tokens(&batch);
    links[batch.of[GW_ROWS_TOKENS].start[1]] = 1; // whose sequence has one global token
    cr_expect_eq(gw_network_forward(network, &batch, NULL), GW_ERR_RANGE);
    cr_expect(strstr(gw_message(), "linked with global token 1 of a sequence that has 1") != NULL, "%s", gw_message());
    gw_network_free(network);
    gw_model_free(model);
}

static void expect_same_bits(const char *what, const float *a, const float *b, int64_t floats) {
    cr_expect_eq(memcmp(a, b, (size_t)floats * sizeof *a), 0, "%s", what);
}

// Layers that run again give the same bits, and so does a network that is only run.
Test(mixers, plans_give_the_same_bits) {
    const gw_batch batch = fixture_batch();
    for (int i = 0; i < SPECS; i++) {
        gw_model *model = model_of(specs[i], 0);
        gw_network *training = network_of(model, true, false, false), *again = network_of(model, true, true, false),
                   *inference = network_of(model, false, false, false);
        check_forward(training, &batch);
        check_forward(again, &batch);
        check_forward(inference, &batch);
        const float *hidden = gw_network_hidden(training);
        expect_same_bits(specs[i], hidden, gw_network_hidden(again), FIXTURE_TOKENS * WIDTH);
        if (!strstr(specs[i], "redraw") && !strstr(specs[i], "reformer"))
            expect_same_bits(specs[i], hidden, gw_network_hidden(inference), FIXTURE_TOKENS * WIDTH);
        check_backward(training);
        check_backward(again);
        expect_same_bits(specs[i], gw_network_gradient(training), gw_network_gradient(again), model->parameters.floats);
        gw_network_free(training);
        gw_network_free(again);
        gw_network_free(inference);
        gw_model_free(model);
    }
}

// What is laid out for products once, with steps joined to them, reads as it was trained.
Test(mixers, frozen_models_read_as_others) {
    const gw_batch batch = fixture_batch();
    for (int i = 0; i < SPECS; i++) {
        if (strstr(specs[i], "redraw") || strstr(specs[i], "reformer")) continue; // whose draws are others
        gw_model *model = model_of(specs[i], 0), *frozen = model_of(specs[i], 0);
        gw_network *training = network_of(model, true, false, false);
        cr_assert_eq(gw_model_freeze(frozen, GW_F32), GW_OK, "%s", gw_message());
        gw_network *network = network_of(frozen, false, false, false);
        check_forward(training, &batch);
        check_forward(network, &batch);
        const float *here = gw_network_hidden(network), *there = gw_network_hidden(training);
        float worst = 0; // of values with a deviation of about 1
        for (int64_t v = 0; v < FIXTURE_TOKENS * WIDTH; v++) worst = fmaxf(worst, fabsf(here[v] - there[v]));
        cr_expect(worst <= 2e-6f, "%s: %g", specs[i], (double)worst);
        gw_network_free(training);
        gw_network_free(network);
        gw_model_free(model);
        gw_model_free(frozen);
    }
}

Test(mixers, a_sequence_alone_gives_the_same) {
    const gw_batch batch = fixture_batch();
    for (int i = 0; i < SPECS; i++) {
        gw_model *model = model_of(specs[i], 0);
        gw_network *together = network_of(model, false, false, false), *alone = network_of(model, false, false, false);
        check_forward(together, &batch);
        for (int s = 0; s < FIXTURE_SEQUENCES; s++) {
            int64_t start[FIXTURE_SEQUENCES + 1];
            int32_t rows[FIXTURE_MASKED];
            const gw_batch part = fixture_part(s, s + 1, start, rows);
            check_forward(alone, &part);
            const float *here = gw_network_hidden(alone),
                        *there = gw_network_hidden(together) + batch.of[GW_ROWS_TOKENS].start[s] * WIDTH;
            float worst = 0; // of values with a deviation of about 1
            for (int64_t v = 0; v < start[1] * WIDTH; v++) worst = fmaxf(worst, fabsf(here[v] - there[v]));
            cr_expect(worst <= 2e-6f, "%s: sequence %d differs by %g", specs[i], s, (double)worst);
        }
        gw_network_free(together);
        gw_network_free(alone);
        gw_model_free(model);
    }
}

// What has a number for each position cannot have others, though positions are rotary.
Test(mixers, projections_along_a_sequence_fix_its_positions) {
    gw_config config = fixture_config(0, 0);
    config.rotary = WIDTH / 2;
    cr_assert_eq(gw_config_use_pattern(&config, "linear"), GW_OK);
    cr_expect_eq(gw_config_use_positions(&config, 2 * config.positions), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_config_use_pattern(&config, "linformer:8"), GW_OK);
    cr_expect_eq(gw_config_use_positions(&config, 2 * config.positions), GW_ERR_UNSUPPORTED);
    gw_config_free(&config);
}

// A family whose file holds queries, keys and values as one tensor has no model without queries.
Test(mixers, what_cannot_hold_a_family_is_refused) {
    gw_config config;
    cr_assert_eq(gw_config_preset("modern-tiny", &config), GW_OK);
    cr_expect_eq(gw_config_use_pattern(&config, "reformer"), GW_ERR_UNSUPPORTED);
    cr_expect(strstr(gw_message(), "reformer has no query's layer, which ModernBert models hold") != NULL, "%s",
              gw_message());
    cr_expect_eq(gw_config_use_pattern(&config, "linear"), GW_OK);
    gw_config_free(&config);
    cr_assert_eq(gw_config_preset("tiny", &config), GW_OK);
    cr_assert_eq(gw_config_use_pattern(&config, "reformer"), GW_OK);
    cr_expect_eq(gw_config_use_mode(&config, "full"), GW_ERR_UNSUPPORTED);
    gw_config_free(&config);
}

// A family whose blocks stand in its weights has none of them where nothing reads blocks.
Test(mixers, a_layout_is_of_blocks_alone) {
    gw_config config = fixture_family(GW_FAMILY_GENA, GW_HEAD_MASKED);
    cr_assert_eq(gw_config_use_pattern(&config, "window:3"), GW_OK);
    cr_expect(!gw_config_has_layout(&config)); // a fresh one
    config.layout = true;                      // by "sparse_attention"
    cr_expect(gw_config_has_layout(&config));
    for (int i = 0; i < SPECS; i++) {
        cr_assert_eq(gw_config_use_pattern(&config, specs[i]), GW_OK);
        cr_expect(!gw_config_has_layout(&config), "%s", specs[i]);
    }
    gw_config_free(&config);
}
