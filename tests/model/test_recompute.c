// SPDX-License-Identifier: MIT
// Recomputing layers in the backward pass: the same bits as keeping everything, in memory that layers hardly add to.
#include "fixtures.h"
#include "gradient_check.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

// Layers of WIDE values pack the operands of their products where a batch may have ROOM tokens.
enum { LAYERS = 3, WIDTH = 16, WIDE = 64, ROOM = 256, CLASSES = 4 };

static void bigbird(gw_config *config) {
    config->family = GW_FAMILY_BIGBIRD;
}

static void bert(gw_config *config) { // norm, then dropout in place, after the embeddings
    config->family = GW_FAMILY_BERT;
    config->activation = GW_ACTIVATION_GELU_EXACT;
    config->pattern.full = true;
}

static void gena(gw_config *config) { // norms before the sublayers, rotary positions in place
    bert(config);
    config->family = GW_FAMILY_GENA;
    config->pre_norm = config->last_norm = true;
    config->rotary = 6;
}

static const struct {
    const char *name;
    void (*set)(gw_config *config);
} families[] = {{"BigBird", bigbird}, {"BERT", bert}, {"GENA-LM", gena}};
enum { FAMILIES = sizeof families / sizeof families[0] };

static gw_model *model_of(int family, gw_head head, int layers, int width, double dropout) {
    gw_config config = fixture_config(0, dropout);
    families[family].set(&config);
    config.layers = layers;
    config.width = width;
    config.feed_forward = width + width / 2;
    config.head = head;
    if (head == GW_HEAD_TOKEN || head == GW_HEAD_SEQUENCE) config.labels = CLASSES;
    gw_model *model = fixture_model_of(&config);
    gw_config_free(&config);
    return model;
}

static gw_network *network_of(gw_model *model, bool recompute, int64_t tokens, gw_precision precision) {
    return fixture_network_of(
        model,
        (gw_network_options){.tokens = tokens, .training = true, .recompute = recompute, .precision = precision});
}

static gw_batch part_of(gw_head head, int first, int last, int64_t *start, int32_t *rows) {
    static int32_t classes[FIXTURE_TOKENS];
    for (int i = 0; i < FIXTURE_TOKENS; i++) classes[i] = i % (CLASSES + 1) - 1;
    gw_batch batch = fixture_part(first, last, start, rows);
    if (head != GW_HEAD_PRETRAINING) batch.of[GW_ROWS_MASKED].count = 0;
    if (head == GW_HEAD_TOKEN) batch.of[GW_ROWS_TOKENS].label = classes;
    return batch;
}

// Sequences of 100, 7 and 96 tokens together, then a part of them: what the region held before must not show.
static void check(int family, gw_head head, double dropout, int width, gw_precision precision) {
    gw_model *model = model_of(family, head, LAYERS, width, dropout);
    gw_network *networks[2] = {network_of(model, false, ROOM, precision), network_of(model, true, ROOM, precision)};
    const size_t bytes = (size_t)model->parameters.floats * sizeof(float);
    for (int first = 0; first < FIXTURE_SEQUENCES; first++) {
        int64_t start[FIXTURE_SEQUENCES + 1];
        int32_t rows[FIXTURE_MASKED];
        const gw_batch batch = part_of(head, first, FIXTURE_SEQUENCES, start, rows);
        gw_losses losses[2];
        for (int n = 0; n < 2; n++) {
            losses[n] = check_forward(networks[n], &batch);
            check_backward(networks[n]);
        }
        cr_expect_eq(memcmp(&losses[0], &losses[1], sizeof losses[0]), 0, "%s, head %d: losses", families[family].name,
                     (int)head);
        cr_expect_eq(memcmp(gw_network_gradient(networks[0]), gw_network_gradient(networks[1]), bytes), 0,
                     "%s, head %d, dropout %g: gradients from sequence %d on", families[family].name, (int)head,
                     dropout, first);
    }
    cr_expect_gt(check_norm(gw_network_gradient(networks[1]), model->parameters.floats), 0);
    gw_network_free(networks[0]);
    gw_network_free(networks[1]);
    gw_model_free(model);
}

Test(recompute, gradients_and_losses_are_the_same_bits) {
    for (int family = 0; family < FAMILIES; family++)
        for (int drops = 0; drops < 2; drops++) {
            check(family, GW_HEAD_PRETRAINING, 0.25 * drops, WIDTH, GW_F32);
            check(family, GW_HEAD_SEQUENCE, 0.25 * drops, WIDTH, GW_F32);
            check(family, GW_HEAD_TOKEN, 0.25 * drops, WIDTH, GW_F32);
        }
}

Test(recompute, packed_operands_and_bf16_give_the_same_bits) {
    for (int family = 0; family < FAMILIES; family++)
        for (gw_precision precision = GW_F32; precision <= (gw_has_bf16() ? GW_BF16 : GW_F32); precision++)
            check(family, GW_HEAD_PRETRAINING, 0.25, WIDE, precision);
}

// A plan of one layer has nothing to run again; the reference agrees with it, and with one of three.
Test(recompute, gradients_are_those_of_the_reference) {
    for (int layers = 1; layers <= LAYERS; layers += 2) {
        gw_model *model = model_of(0, GW_HEAD_PRETRAINING, layers, WIDTH, 0.25);
        gw_network *network = network_of(model, true, FIXTURE_TOKENS, GW_F32);
        gw_batch batch = fixture_batch();
        check_gradients("recomputed", model, network, &batch, 11, NULL);
        gw_network_free(network);
        gw_model_free(model);
    }
}

// Memory of a network besides the gradients of its parameters.
static int64_t bytes_of(int family, int layers, bool recompute, int64_t tokens) {
    gw_model *model = model_of(family, GW_HEAD_PRETRAINING, layers, WIDTH, 0.1);
    gw_network *network = network_of(model, recompute, tokens, GW_F32);
    const int64_t bytes = gw_network_bytes(network) - model->parameters.floats * (int64_t)sizeof(float);
    gw_network_free(network);
    gw_model_free(model);
    return bytes;
}

// Without it a layer keeps nine tensors more.
Test(recompute, layers_add_their_results_alone) {
    enum { TOKENS = 4096, MORE = 8, STEPS = 16384 }; // bytes of a layer's steps
    for (int family = 0; family < FAMILIES; family++) {
        const int64_t result = TOKENS * (WIDTH + 2) * (int64_t)sizeof(float); // with mean and deviation of its norm
        int64_t added[2];
        for (int recompute = 0; recompute < 2; recompute++)
            added[recompute] =
                bytes_of(family, LAYERS + MORE, recompute, TOKENS) - bytes_of(family, LAYERS, recompute, TOKENS);
        cr_expect_leq(added[1], MORE * (result + STEPS), "%s: a layer adds %lld bytes", families[family].name,
                      (long long)added[1] / MORE);
        cr_expect_geq(added[0], MORE * 7 * result, "%s: a layer adds %lld bytes", families[family].name,
                      (long long)added[0] / MORE);
    }
}
