// SPDX-License-Identifier: MIT
// A plain plan (every step as described, all tensors apart, all gradients added to zeros) beside the one that the
// passes make of it: what they fuse, share, overwrite and compute again changes no bit. Tensors that training stores as
// bf16 change bits: their error is measured.
#include "base/memory.h"
#include "fixtures.h"
#include "gradient_check.h"
#include "tests/kernel/emulated.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 256, WIDE = 64 }; // layers of WIDE values multiply bf16 where that is asked for

static const struct {
    gw_family family;
    bool before; // norms, with rotary positions
} shapes[] = {{GW_FAMILY_BIGBIRD, false}, {GW_FAMILY_BERT, false}, {GW_FAMILY_ROBERTA, false}, {GW_FAMILY_GENA, true}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static gw_model *model_of(int shape, gw_head head, double dropout) {
    gw_config config = fixture_config(0, dropout);
    config.family = shapes[shape].family;
    config.width = WIDE;
    config.feed_forward = 2 * WIDE;
    config.head = head;
    config.pre_norm = config.last_norm = shapes[shape].before;
    config.rotary = shapes[shape].before ? 6 : 0;
    config.pattern.full |= shapes[shape].family != GW_FAMILY_BIGBIRD;
    if (head == GW_HEAD_SEQUENCE || head == GW_HEAD_TOKEN) config.labels = FIXTURE_LABELS;
    gw_model *model = fixture_model_of(&config);
    gw_config_free(&config);
    return model;
}

static gw_network *network_of(gw_model *model, bool training, bool plain, gw_precision precision) {
    return fixture_network_of(
        model, (gw_network_options){.tokens = ROOM, .training = training, .plain = plain, .precision = precision});
}

static gw_batch batch_of(gw_head head) {
    static int32_t classes[FIXTURE_TOKENS], spans[] = {60, 71, 4, 4, -1, -1}, choice[] = {1};
    gw_batch batch = fixture_batch();
    for (int i = 0; i < FIXTURE_TOKENS; i++) classes[i] = i % FIXTURE_LABELS;
    if (head != GW_HEAD_PRETRAINING) batch.of[GW_ROWS_MASKED].count = 0;
    if (head == GW_HEAD_TOKEN) batch.of[GW_ROWS_TOKENS].label = classes;
    if (head == GW_HEAD_SPAN) batch.of[GW_ROWS_FIRST].label = spans;
    if (head == GW_HEAD_MULTIPLE_CHOICE) batch.of[GW_ROWS_QUESTIONS] = (gw_rows){.count = 1, .label = choice};
    return batch;
}

static bool same_bits(const float *a, const float *b, int64_t count) {
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static void check_training(int shape, gw_head head, double dropout, gw_precision precision) {
    gw_model *model = model_of(shape, head, dropout);
    const gw_batch batch = batch_of(head);
    gw_network *networks[2];
    gw_losses losses[2];
    for (int plain = 0; plain < 2; plain++) {
        networks[plain] = network_of(model, true, plain, precision);
        losses[plain] = check_forward(networks[plain], &batch);
        check_backward(networks[plain]);
    }
    const int64_t floats = model->parameters.floats;
    cr_expect(memcmp(&losses[0], &losses[1], sizeof losses[0]) == 0 &&
                  same_bits(gw_network_gradient(networks[0]), gw_network_gradient(networks[1]), floats),
              "shape %d, head %d, dropout %g, precision %d", shape, (int)head, dropout, (int)precision);
    cr_expect_gt(check_norm(gw_network_gradient(networks[0]), floats), 0);
    for (int plain = 0; plain < 2; plain++) gw_network_free(networks[plain]);
    gw_model_free(model);
}

Test(plain, training_gives_the_same_bits) {
    const gw_head heads[] = {GW_HEAD_PRETRAINING, GW_HEAD_SEQUENCE, GW_HEAD_TOKEN, GW_HEAD_SPAN,
                             GW_HEAD_MULTIPLE_CHOICE};
    for (int shape = 0; shape < SHAPES; shape++)
        for (size_t head = 0; head < sizeof heads / sizeof heads[0]; head++)
            for (gw_precision precision = GW_F32; precision <= (gw_has_bf16() ? GW_BF16 : GW_F32); precision++)
                for (int drops = 0; drops < 2; drops++) check_training(shape, heads[head], 0.25 * drops, precision);
}

static void check_running(int shape, gw_precision precision) {
    gw_model *model = model_of(shape, GW_HEAD_PRETRAINING, 0);
    const gw_batch batch = batch_of(GW_HEAD_PRETRAINING);
    const int64_t logits = FIXTURE_MASKED * model->config.vocabulary;
    gw_network *networks[2];
    cr_assert_eq(gw_model_freeze(model, precision), GW_OK, "%s", gw_message());
    for (int plain = 0; plain < 2; plain++) {
        networks[plain] = network_of(model, false, plain, GW_F32);
        check_forward(networks[plain], &batch);
    }
    cr_expect(same_bits(gw_network_hidden(networks[0]), gw_network_hidden(networks[1]), FIXTURE_TOKENS * WIDE) &&
                  same_bits(gw_network_output(networks[0], GW_ROWS_MASKED),
                            gw_network_output(networks[1], GW_ROWS_MASKED), logits),
              "shape %d, precision %d", shape, (int)precision);
    for (int plain = 0; plain < 2; plain++) gw_network_free(networks[plain]);
    gw_model_free(model);
}

Test(plain, running_gives_the_same_bits) {
    for (int shape = 0; shape < SHAPES; shape++)
        for (gw_precision precision = GW_F32; precision <= (gw_has_bf16() ? GW_BF16 : GW_F32); precision++)
            check_running(shape, precision);
}

// ---- tensors of bf16, which a device stores

// Attention in heads of 32 and blocks of 16, for tensor cores.
static gw_model *model_of_tiles(int shape, gw_activation activation, double dropout) {
    gw_config config = fixture_config(0, dropout);
    config.family = shapes[shape].family;
    config.width = WIDE;
    config.feed_forward = 2 * WIDE;
    config.activation = activation;
    config.initializer_range = 0.1;
    config.head = GW_HEAD_PRETRAINING;
    config.pre_norm = config.last_norm = shapes[shape].before;
    config.rotary = shapes[shape].before ? 6 : 0;
    config.pattern.block = 16;
    config.pattern.full |= shapes[shape].family != GW_FAMILY_BIGBIRD;
    gw_model *model = fixture_model_of(&config);
    gw_config_free(&config);
    return model;
}

static void check_stored(int shape) {
    // A product and the op of that name make the same ReLU.
    gw_model *model = model_of_tiles(shape, GW_ACTIVATION_RELU, 0);
    const gw_batch batch = batch_of(GW_HEAD_PRETRAINING);
    const int64_t logits = FIXTURE_MASKED * model->config.vocabulary;
    gw_network *networks[2];
    cr_assert_eq(gw_model_freeze(model, GW_BF16), GW_OK, "%s", gw_message());
    for (int plain = 0; plain < 2; plain++) {
        gw_string steps = {0};
        networks[plain] = network_of(model, false, plain, GW_F32);
        cr_assert_eq(gw_network_print_plan(networks[plain], &steps), GW_OK, "%s", gw_message());
        // With rotary positions only what they turn stays floats: values, too, since attention takes all or none.
        cr_expect_eq(strstr(steps.data, ":bf16\t") == NULL, plain, "shape %d: %s", shape, steps.data);
        cr_expect_eq(strstr(steps.data, "bf16") == NULL, plain);
        gw_string_free(&steps);
        check_forward(networks[plain], &batch);
    }
    cr_expect(same_bits(gw_network_hidden(networks[0]), gw_network_hidden(networks[1]), FIXTURE_TOKENS * WIDE) &&
                  same_bits(gw_network_output(networks[0], GW_ROWS_MASKED),
                            gw_network_output(networks[1], GW_ROWS_MASKED), logits),
              "shape %d", shape);
    for (int plain = 0; plain < 2; plain++) gw_network_free(networks[plain]);
    gw_model_free(model);
}

// A training step's loss and gradients on the host, and whether its plan stores bf16.
typedef struct {
    double loss;
    float *gradient;
    bool stores;
} trained;

static trained train(gw_model *model, gw_network_options options) {
    const gw_batch batch = batch_of(GW_HEAD_PRETRAINING);
    const int64_t bytes = model->parameters.floats * (int64_t)sizeof(float);
    options.tokens = ROOM, options.training = true;
    gw_network *network = fixture_network_of(model, options);
    trained made = {.gradient = gw_alloc(bytes, 1)};
    gw_string steps = {0};
    cr_assert_eq(gw_network_print_plan(network, &steps), GW_OK, "%s", gw_message());
    made.stores = strstr(steps.data, "bf16") != NULL;
    gw_string_free(&steps);
    const gw_losses losses = check_forward(network, &batch);
    made.loss = losses.of[GW_ROWS_MASKED].loss / losses.of[GW_ROWS_MASKED].count;
    check_backward(network);
    cr_assert_eq(gw_kernels()->to_host(made.gradient, gw_network_gradient(network), bytes), GW_OK);
    gw_network_free(network);
    return made;
}

static double distance(const trained *a, const trained *b, int64_t floats) {
    float *difference = gw_alloc(floats, sizeof *difference);
    for (int64_t i = 0; i < floats; i++) difference[i] = a->gradient[i] - b->gradient[i];
    const double norm = check_norm(difference, floats);
    free(difference);
    return norm;
}

// Rounded tensors and gradients move the gradients of weights hardly more than rounded operands do: both are measured
// from those of f32. Plans that compute segments again, and keep other tensors, give the same bits.
static void check_training_stored(int shape, double dropout) {
    gw_model *model = model_of_tiles(shape, GW_ACTIVATION_GELU, dropout);
    const int64_t floats = model->parameters.floats;
    const trained wide = train(model, (gw_network_options){.precision = GW_F32}),
                  plain = train(model, (gw_network_options){.precision = GW_BF16, .plain = true}),
                  stored = train(model, (gw_network_options){.precision = GW_BF16}),
                  again = train(model, (gw_network_options){.precision = GW_BF16, .recompute = true});
    cr_expect(!wide.stores && !plain.stores && stored.stores && again.stores, "shape %d", shape);
    const double size = check_norm(wide.gradient, floats), of_operands = distance(&plain, &wide, floats) / size,
                 of_tensors = distance(&stored, &wide, floats) / size;
    if (getenv("GW_TEST_ERRORS"))
        fprintf(stderr, "shape %d, dropout %g: gradients %.3g and %.3g, losses %.3g and %.3g\n", shape, dropout,
                of_operands, of_tensors, plain.loss - wide.loss, stored.loss - wide.loss);
    cr_expect_leq(of_tensors, 1.5 * of_operands, "shape %d", shape);
    cr_expect_leq(fabs(stored.loss - wide.loss), 2e-3 * wide.loss, "shape %d", shape);
    cr_expect(memcmp(&stored.loss, &again.loss, sizeof stored.loss) == 0 &&
                  same_bits(stored.gradient, again.gradient, floats),
              "shape %d", shape);
    free(wide.gradient), free(plain.gradient), free(stored.gradient), free(again.gradient);
    gw_model_free(model);
}

Test(cuda, tensors_of_bf16_give_the_same_bits) {
    if (!test_use_emulated()) cr_skip_test("the emulation of the CUDA plugin could not be built here");
    for (int shape = 0; shape < SHAPES && !test_on_gpu(); shape++) check_stored(shape);
    gw_use_device(NULL);
}

Test(cuda, training_over_tensors_of_bf16) {
    if (!test_use_emulated()) cr_skip_test("the emulation of the CUDA plugin could not be built here");
    // Norms behind sums, and before layers with rotary positions between them.
    for (int shape = 0; shape < SHAPES && !test_on_gpu(); shape += SHAPES - 1)
        for (int drops = 0; drops < 2; drops++) check_training_stored(shape, 0.25 * drops);
    gw_use_device(NULL);
}
