// SPDX-License-Identifier: MIT
// Models with a convolutional stem: losses and gradients of whole networks against the double reference, and the way
// through a folder.
#include "base/memory.h"
#include "base/random.h"
#include "fixtures.h"
#include "gradient_check.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char u_net[] = "conv:5x12@2+res:3@1,3+pool:2+conv:3x16+res:5+mean:3+conv:1x20+conv:3x16+unpool:3+res:3"
                            "+conv:1x12+unpool:2+conv:3x16";

static gw_config stem_config(const char *stem, int64_t layers, gw_head head) {
    gw_config config = fixture_config(head == GW_HEAD_SEQUENCE ? FIXTURE_LABELS : 0, 0);
    config.family = GW_FAMILY_DNA;
    config.head = head;
    config.pre_norm = config.last_norm = true;
    config.rotary = 8;
    config.pooling = GW_SEQUENCE_MEAN;
    config.layers = layers;
    config.segments = 2;
    cr_assert_eq(gw_pattern_parse("window:3+global:1+random:1+block:8", &config.pattern), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_stem_parse(stem, config.width, &config.stem), GW_OK, "%s", gw_message());
    return config;
}

static gw_model *stem_model(const char *stem, int64_t layers, gw_head head) {
    gw_config config = stem_config(stem, layers, head);
    gw_model *model = fixture_model_of(&config);
    gw_config_free(&config);
    return model;
}

static gw_batch batch_of(gw_head head) {
    gw_batch batch = fixture_batch();
    if (head == GW_HEAD_SEQUENCE) batch.of[GW_ROWS_MASKED].count = 0;
    return batch;
}

static void check_model(const char *stem, gw_model *model, gw_head head) {
    gw_network *network = fixture_network(model, true);
    const gw_batch batch = batch_of(head);
    check_gradients(stem, model, network, &batch, 11, NULL);
    gw_network_free(network);
    gw_model_free(model);
}

static void check(const char *stem, int64_t layers, gw_head head) {
    check_model(stem, stem_model(stem, layers, head), head);
}

Test(stem_model, gradients_of_a_stem_alone) {
    check("conv:3+res:5@1,4,40", 0, GW_HEAD_MASKED);
}

Test(stem_model, gradients_of_a_stem_before_sparse_attention) {
    check("res:3@2", 2, GW_HEAD_MASKED);
}

Test(stem_model, gradients_of_units_and_skips) {
    check("skip+unit:3@1,4+skip+leaky-unit:5@2+skip", 0, GW_HEAD_MASKED);
    check("letters:8+conv:3x16+leaky-unit:3+skip+attention+leaky-unit:3@1,2+skip", 1, GW_HEAD_SEQUENCE);
    check("leaky-unit:3+skip", 1, GW_HEAD_SEQUENCE);
}

Test(stem_model, gradients_of_layers_of_gpn) {
    check("gpn:3x40@1,4+gpn:5", 0, GW_HEAD_MASKED);
    check("convnet:5@1,3", 0, GW_HEAD_MASKED);
    check("gpn:3+convnet:3", 1, GW_HEAD_SEQUENCE);
}

Test(stem_model, gradients_of_a_u_net_around_attention) {
    check(u_net, 1, GW_HEAD_MASKED);
}

Test(stem_model, gradients_of_labels) {
    check("res:3@1,2", 1, GW_HEAD_SEQUENCE);
}

Test(stem_model, gradients_of_labels_by_attention_with_weights_of_their_own) {
    static const char *const stems_of[] = {"res:3@1,2", "conv:5x12+mean:2+conv:3x16"};
    for (int i = 0; i < 2; i++) {
        gw_config config = stem_config(stems_of[i], 1, GW_HEAD_SEQUENCE);
        config.pooling = GW_SEQUENCE_ATTENTION;
        config.positive_weights = gw_alloc(config.labels, sizeof(double));
        for (int64_t l = 0; l < config.labels; l++) config.positive_weights[l] = 0.5 + (double)l;
        check_model(stems_of[i], fixture_model_of(&config), GW_HEAD_SEQUENCE);
        gw_config_free(&config);
    }
}

Test(stem_model, gradients_of_labels_of_windows) {
    check("conv:5x12+pool:2+res:3+conv:3x16+mean:3", 1, GW_HEAD_SEQUENCE);
}

Test(stem_model, gradients_of_positions) {
    check("res:3+positions", 1, GW_HEAD_MASKED);
    check("positions+conv:5x12+mean:2+positions+conv:3x16+mean:3", 1, GW_HEAD_SEQUENCE);
}

Test(stem_model, gradients_of_labels_by_places) {
    const char *stem = "conv:5x12+mean:2+conv:3x16";
    gw_config config = stem_config(stem, 1, GW_HEAD_SEQUENCE);
    config.pooling = GW_SEQUENCE_PLACES;
    gw_model *model = fixture_model_of(&config);
    const gw_parameter *places = gw_model_role(model, GW_ROLE_PLACES, 0, false);
    gw_random random = gw_random_at(3, GW_SITE_TEST, 0, 0);
    for (int64_t i = 0; i < places->count; i++)
        model->parameters.weight[places->offset + i] = 0.1f * gw_random_normal(&random);
    gw_config_free(&config);
    check_model(stem, model, GW_HEAD_SEQUENCE);
}

Test(stem_model, gradients_of_labels_by_rows_end_to_end) {
    static const char *const stems_of[] = {"res:3@1,2", "conv:5x12+mean:2+conv:3x16"};
    for (int i = 0; i < 2; i++) {
        gw_config config = stem_config(stems_of[i], 1, GW_HEAD_SEQUENCE);
        config.pooling = GW_SEQUENCE_FLATTEN;
        check_model(stems_of[i], fixture_model_of(&config), GW_HEAD_SEQUENCE);
        gw_config_free(&config);
    }
}

Test(stem_model, gradients_where_letters_have_channels_of_their_own) {
    check("letters:8+conv:5x12+mean:2+conv:3x16", 1, GW_HEAD_SEQUENCE);
    check("letters:8+conv:3x16", 0, GW_HEAD_SEQUENCE);
}

Test(stem_model, letters_with_channels_of_their_own_have_no_masked_head) {
    gw_model *model = stem_model("letters:8+conv:3x16", 1, GW_HEAD_MASKED);
    const gw_network_options options = {.tokens = 64, .sequences = 1, .masked = 4};
    gw_network *network;
    cr_expect_eq(gw_network_new(model, &options, &network), GW_ERR_UNSUPPORTED);
    cr_expect_not_null(strstr(gw_message(), "embeds letters in 8 channels"), "%s", gw_message());
    gw_model_free(model);
}

Test(stem_model, windows_have_no_hidden_states_of_tokens) {
    gw_model *model = stem_model("res:3+pool:2", 1, GW_HEAD_MASKED);
    const gw_network_options options = {.tokens = 64, .sequences = 1, .masked = 4};
    gw_network *network;
    cr_expect_eq(gw_network_new(model, &options, &network), GW_ERR_UNSUPPORTED);
    cr_expect_not_null(strstr(gw_message(), "pools more than it unpools"), "%s", gw_message());
    gw_model_free(model);
}

// What one sequence gives depends on nothing else in its batch.
Test(stem_model, a_sequence_has_the_same_hidden_states_in_any_batch) {
    gw_model *model = stem_model(u_net, 1, GW_HEAD_NONE);
    gw_network *network = fixture_network(model, false);
    gw_batch whole = batch_of(GW_HEAD_SEQUENCE);
    const int64_t width = model->config.width;
    cr_assert_eq(gw_network_forward(network, &whole, NULL), GW_OK, "%s", gw_message());
    float *all = malloc((size_t)(FIXTURE_TOKENS * width) * sizeof *all);
    memcpy(all, gw_network_hidden(network), (size_t)(FIXTURE_TOKENS * width) * sizeof *all);
    for (int s = 0; s < FIXTURE_SEQUENCES; s++) {
        int64_t start[FIXTURE_SEQUENCES + 1];
        int32_t rows[FIXTURE_MASKED];
        gw_batch part = fixture_part(s, s + 1, start, rows);
        part.of[GW_ROWS_MASKED].count = 0;
        cr_assert_eq(gw_network_forward(network, &part, NULL), GW_OK, "%s", gw_message());
        const float *hidden = gw_network_hidden(network), *same = all + whole.of[GW_ROWS_TOKENS].start[s] * width;
        for (int64_t i = 0; i < start[1] * width; i++)
            cr_assert(fabsf(hidden[i] - same[i]) < 2e-5f, "sequence %d, value %lld: %g and %g", s, (long long)i,
                      (double)hidden[i], (double)same[i]);
    }
    free(all);
    gw_network_free(network);
    gw_model_free(model);
}

// The weights laid out for products give what the weights as they are give.
Test(stem_model, a_model_that_is_only_run_has_the_same_hidden_states) {
    gw_model *model = stem_model(u_net, 1, GW_HEAD_NONE);
    gw_batch batch = batch_of(GW_HEAD_SEQUENCE);
    const int64_t count = FIXTURE_TOKENS * model->config.width;
    float *before = malloc((size_t)count * sizeof *before);
    for (int frozen = 0; frozen < 2; frozen++) {
        if (frozen) cr_assert_eq(gw_model_freeze(model, GW_F32), GW_OK, "%s", gw_message());
        gw_network *network = fixture_network(model, false);
        cr_assert_eq(gw_network_forward(network, &batch, NULL), GW_OK, "%s", gw_message());
        const float *hidden = gw_network_hidden(network);
        if (!frozen) memcpy(before, hidden, (size_t)count * sizeof *before);
        for (int64_t i = 0; i < count; i++)
            cr_assert(fabsf(hidden[i] - before[i]) < 2e-5f, "value %lld: %g and %g", (long long)i, (double)hidden[i],
                      (double)before[i]);
        gw_network_free(network);
    }
    free(before);
    gw_model_free(model);
}

Test(stem_model, single_bases_have_one_segment_unless_config_says_more) {
    static const char text[] = "{\"model_type\": \"godwit\", \"architectures\": [\"GodwitForMaskedLM\"]}";
    gw_config config;
    cr_assert_eq(gw_config_parse("text", text, (int64_t)strlen(text), &config), GW_OK, "%s", gw_message());
    cr_expect_eq(config.family, GW_FAMILY_DNA);
    cr_expect_eq(config.segments, 1);
    gw_config_free(&config);
}

// What all rows have in common must not drown what tells them apart when training begins.
Test(stem_model, a_lone_segment_begins_at_zero) {
    gw_config config = stem_config("res:3", 0, GW_HEAD_MASKED);
    config.segments = 1;
    gw_tokenizer *tokenizer;
    gw_model *model;
    cr_assert_eq(gw_tokenizer_letters(&tokenizer), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_new(&config, tokenizer, 7, &model), GW_OK, "%s", gw_message());
    const gw_parameter *segment = gw_model_role(model, GW_ROLE_SEGMENT, 0, false);
    for (int64_t i = 0; i < segment->count; i++)
        cr_expect_eq(model->parameters.weight[segment->offset + i], 0, "value %lld", (long long)i);
    gw_model_free(model);
    gw_config_free(&config);
}

TestSuite(stem_folder, .init = scratch_enter, .fini = scratch_leave);

Test(stem_folder, a_model_with_a_stem_comes_back_from_its_folder) {
    gw_model *model = stem_model(u_net, 1, GW_HEAD_MASKED), *again;
    cr_assert_eq(gw_model_save(model, "saved"), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_load("saved", &again), GW_OK, "%s", gw_message());
    cr_expect_eq(again->config.family, GW_FAMILY_DNA);
    cr_expect_str_eq(again->config.stem.text, u_net);
    cr_assert_eq(again->parameters.floats, model->parameters.floats);
    cr_expect_arr_eq(again->parameters.weight, model->parameters.weight,
                     (size_t)model->parameters.floats * sizeof(float));
    cr_expect_not_null(gw_model_parameter(again, "godwit.stem.1.convolution.weight"));
    gw_model_free(again);
    gw_model_free(model);
}
