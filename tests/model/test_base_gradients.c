// SPDX-License-Identifier: MIT
// Gradients of whole networks that label bases, against central differences of their losses: classes that exclude each
// other, weighed and with focal loss, and classes that overlap; of convolutions alone and with attention; and profiles
// of counts by a BPNet.
#include "base/memory.h"
#include "base/random.h"
#include "fixtures.h"
#include "gradient_check.h"
#include "model/config_reader.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 3, BASES = 70 };

typedef struct {
    const char *name, *stem;
    int64_t layers;
    bool weighs, overlaps;
    double focus;
} shape;

static gw_model *model_of(const shape *s) {
    gw_config config = fixture_config(0, 0);
    config.family = s->layers > 0 ? GW_FAMILY_DNA : GW_FAMILY_SPLICE;
    config.head = GW_HEAD_TOKEN, config.task = GW_TASK_BASES, config.labels = CLASSES;
    config.overlap = s->overlaps;
    config.layers = s->layers;
    config.pre_norm = config.last_norm = s->layers > 0;
    config.rotary = 8, config.segments = 1;
    config.label_names = gw_alloc(CLASSES, sizeof(char *));
    for (int c = 0; c < CLASSES; c++) config.label_names[c] = gw_strprintf("class %d", c);
    if (s->weighs) config.positive_weights = gw_alloc(CLASSES, sizeof *config.positive_weights);
    for (int c = 0; s->weighs && c < CLASSES; c++) config.positive_weights[c] = 0.4 + 0.9 * c;
    cr_assert_eq(gw_pattern_parse("window:3+block:8", &config.pattern), GW_OK);
    cr_assert_eq(gw_stem_parse(s->stem, config.width, &config.stem), GW_OK, "%s", gw_message());
    gw_model *model = fixture_model_of(&config);
    gw_config_free(&config);
    return model;
}

static gw_batch batch_of(const shape *s) {
    static int64_t start[] = {0, 45, BASES};
    static int32_t token[BASES], label[BASES];
    static float number[BASES * CLASSES];
    gw_random random = gw_random_at(9, GW_SITE_TEST, 0, 0);
    for (int i = 0; i < BASES; i++) {
        token[i] = 5 + (int32_t)gw_random_below(&random, 4);
        label[i] = i % 11 == 3 ? -1 : (int32_t)gw_random_below(&random, CLASSES);
        for (int c = 0; c < CLASSES; c++)
            number[i * CLASSES + c] = i % 11 == 3 ? NAN : (float)gw_random_below(&random, 2);
    }
    gw_batch batch = {.of = {[GW_ROWS_TOKENS] = {.sequences = 2, .start = start, .token = token}}};
    if (s->overlaps) batch.of[GW_ROWS_TOKENS].number = number;
    else batch.of[GW_ROWS_TOKENS].label = label;
    return batch;
}

static double loss_of(gw_network *network, const gw_batch *batch) {
    return check_forward(network, batch).of[GW_ROWS_TOKENS].loss;
}

// Along a tensor's own gradient the loss changes fastest: by |gradient| a step.
static void check_tensor(const char *name, gw_model *model, gw_network *network, const gw_batch *batch, int index,
                         const float *gradient) {
    const gw_parameter *parameter = &model->parameters.list[index];
    float *weight = model->parameters.weight + parameter->offset;
    const float *slope = gradient + parameter->offset;
    const double size = check_norm(slope, parameter->count), step = 5e-4 / sqrt(fmax(size, 1));
    double loss[2];
    float *kept = gw_alloc(parameter->count, sizeof *kept);
    memcpy(kept, weight, (size_t)parameter->count * sizeof *kept);
    for (int side = 0; side < 2; side++) {
        for (int64_t i = 0; i < parameter->count; i++)
            weight[i] = kept[i] + (float)((side ? step : -step) * (double)slope[i] / size);
        loss[side] = loss_of(network, batch);
    }
    memcpy(weight, kept, (size_t)parameter->count * sizeof *kept);
    free(kept);
    const double found = (loss[1] - loss[0]) / (2 * step);
    cr_expect_lt(fabs(found - size), 0.015 * size + 1e-3, "%s, %s: %g by differences, %g by the backward pass", name,
                 parameter->name, found, size);
}

static void check(const char *name, gw_model *model, const gw_batch *batch, int least, double focus) {
    float scale[GW_BATCH_ROWS] = {[GW_ROWS_TOKENS] = 1};
    gw_network *network;
    const gw_network_options options = {
        .tokens = batch->of[GW_ROWS_TOKENS].start[2], .sequences = 2, .training = true, .focus = focus};
    cr_assert_eq(gw_network_new(model, &options, &network), GW_OK, "%s", gw_message());
    cr_expect_gt(loss_of(network, batch), 0);
    cr_assert_eq(gw_network_backward(network, scale), GW_OK, "%s", gw_message());
    float *gradient = gw_alloc(model->parameters.floats, sizeof *gradient);
    memcpy(gradient, gw_network_gradient(network), (size_t)model->parameters.floats * sizeof *gradient);
    int checked = 0;
    for (int i = 0; i < model->parameters.count; i++) {
        const gw_parameter *parameter = &model->parameters.list[i];
        if (check_norm(gradient + parameter->offset, parameter->count) == 0) continue; // of keys' biases
        check_tensor(name, model, network, batch, i, gradient);
        checked++;
    }
    cr_expect_gt(checked, least, "%s", name);
    free(gradient);
    gw_network_free(network);
    gw_model_free(model);
}

Test(base_gradients, central_differences) {
    static const char convolutions[] = "letters:16+skip+leaky-unit:3@1,3+skip", both[] = "conv:5+res:3@1,2";
    static const shape shapes[] = {
        {"plain classes", convolutions, 0, false, false, 0},
        {"weighed classes", convolutions, 0, true, false, 0},
        {"focal loss", convolutions, 0, false, false, 2},
        {"weighed classes with focal loss", convolutions, 0, true, false, 1.5},
        {"overlapping classes", convolutions, 0, false, true, 0},
        {"weighed overlapping classes", convolutions, 0, true, true, 0},
        {"weighed classes with focal loss and attention", both, 1, true, false, 2},
        {"weighed overlapping classes with attention", both, 1, true, true, 0},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const gw_batch batch = batch_of(&shapes[i]);
        check(shapes[i].name, model_of(&shapes[i]), &batch, 8, shapes[i].focus);
    }
}

// A BPNet of one dilated layer whose profile has 12 bases of a window, with counts of both strands.
Test(base_gradients, profiles_of_counts) {
    enum { WINDOW = 110, PROFILE = 12, STRANDS = 2, FLANK = (WINDOW - PROFILE) / 2 };
    static const int64_t numbers[] = {5, 1, STRANDS, 0, WINDOW, 0, 1, 3}; // as the family numbers them
    static int64_t start[] = {0, WINDOW, 2 * WINDOW};
    static int32_t token[2 * WINDOW];
    static float number[2 * WINDOW * STRANDS];
    gw_config config = gw_config_defaults(GW_FAMILY_BPNET);
    gw_random random = gw_random_at(9, GW_SITE_TEST, 1, 0);
    memcpy(config.number, numbers, sizeof numbers);
    config.task = GW_TASK_PROFILE;
    for (int i = 0; i < 2 * WINDOW; i++) {
        const bool inside = i % WINDOW >= FLANK && i % WINDOW < FLANK + PROFILE;
        token[i] = 5 + (int32_t)gw_random_below(&random, 4);
        for (int s = 0; s < STRANDS; s++) number[i * STRANDS + s] = inside ? (float)gw_random_below(&random, 4) : NAN;
    }
    const gw_batch batch = {
        .of = {[GW_ROWS_TOKENS] = {.sequences = 2, .start = start, .token = token, .number = number}}};
    check("profiles", fixture_model_of(&config), &batch, 7, 0);
}
