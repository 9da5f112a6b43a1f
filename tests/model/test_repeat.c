// SPDX-License-Identifier: MIT
// CUDA graphs over the emulated plugin: scoring batches and training steps have the bits of launches one by one, when
// shapes, lengths and draws change, and where a plan waits for the host.
#include "base/memory.h"
#include "fixtures.h"
#include "gradient_check.h"
#include "run/optimiser.h"
#include "tests/kernel/emulated.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { TOKENS = 24, MASKED = 2 };

// What a pass leaves: numbers of the device.
typedef struct {
    float number[1 << 15];
    int64_t count;
} numbers;

static void begin(void) {
    if (!test_use_emulated()) cr_skip_test("the emulation of the CUDA plugin could not be built here");
}

static void set_graphs(bool on) {
    cr_assert_eq(setenv("GODWIT_CUDA_GRAPHS", on ? "1" : "0", 1), 0);
}

// Sequences of these lengths (0: no more), with tokens that `salt` chooses and two masked ones.
static gw_batch batch_of(int first, int second, int salt) {
    static int64_t start[3];
    static int32_t token[TOKENS], segment[TOKENS], row[MASKED] = {1, 3}, label[MASKED] = {5, 6}, pair[2] = {0, 1};
    memcpy(start, (int64_t[]){0, first, first + second}, sizeof start);
    for (int i = 0; i < first + second; i++) token[i] = 5 + (i * 7 + salt) % 4;
    return (gw_batch){
        .of = {[GW_ROWS_TOKENS] = {.sequences = 1 + (second > 0), .start = start, .token = token, .segment = segment},
               [GW_ROWS_MASKED] = {.count = MASKED, .row = row, .label = label},
               [GW_ROWS_FIRST] = {.label = pair}},
        .step = (uint32_t)salt};
}

static void add(numbers *to, const void *device, int64_t floats) {
    cr_assert(to->count + floats <= (int64_t)(sizeof to->number / sizeof to->number[0]));
    cr_assert_eq(gw_kernels()->to_host(to->number + to->count, device, floats * (int64_t)sizeof(float)), GW_OK, "%s",
                 gw_message());
    to->count += floats;
}

static void expect_same(const numbers *a, const numbers *b) {
    cr_expect(a->count > 0 && a->count == b->count &&
                  memcmp(a->number, b->number, (size_t)a->count * sizeof a->number[0]) == 0,
              "other bits with graphs");
}

// ---- scoring

static const int lengths[][2] = {{5, 7}, {5, 7}, {5, 7}, {7, 5}, {5, 7}, {6, 0}, {6, 0}, {17, 6}, {17, 6}, {17, 6}};
enum { BATCHES = sizeof lengths / sizeof lengths[0] };

static void score(numbers *out) {
    gw_model *model = fixture_model(0, 0);
    cr_assert_eq(gw_model_freeze(model, GW_F32), GW_OK, "%s", gw_message());
    gw_network *network = fixture_network(model, false);
    for (int i = 0; i < BATCHES; i++) {
        const gw_batch batch = batch_of(lengths[i][0], lengths[i][1], i);
        cr_assert_eq(gw_network_forward(network, &batch, NULL), GW_OK, "%s", gw_message());
        const float *hidden = gw_network_hidden(network), *logits = gw_network_output(network, GW_ROWS_MASKED);
        cr_assert(hidden && logits, "%s", gw_message());
        for (int64_t k = 0; k < (lengths[i][0] + lengths[i][1]) * model->config.width; k++)
            out->number[out->count++] = hidden[k];
        for (int64_t k = 0; k < MASKED * model->config.vocabulary; k++) out->number[out->count++] = logits[k];
    }
    gw_network_free(network);
    gw_model_free(model);
}

Test(cuda, graphs_score_with_the_same_bits) {
    static numbers with, without;
    begin();
    set_graphs(false);
    score(&without);
    cr_expect_eq(test_graphs().captured, 0);
    set_graphs(true);
    score(&with);
    expect_same(&with, &without);
    if (test_on_gpu()) return;
    // The first batch is launched as without graphs, and so is the first one of 17 tokens, whose attention graphs are
    // allocated; the third, the seventh and the last one launch no kernel by itself.
    const test_graph_counts n = test_graphs();
    cr_expect_eq(n.faults, 0);
    cr_expect_eq(n.repeated, BATCHES - 2, "%ld", n.repeated);
    cr_expect_eq(n.instantiated + n.updated, BATCHES - 2 - 3, "%ld + %ld", n.instantiated, n.updated);
    cr_expect_gt(n.updated, 0);
}

// ---- training

static void train(const gw_config *config, numbers *out) {
    enum { STEPS = 4 };
    gw_model *model = fixture_model_of(config);
    gw_network *network = fixture_network(model, true);
    gw_parameters *parameters = &model->parameters;
    gw_optimiser optimiser;
    const gw_optimiser_options options = gw_optimiser_defaults();
    cr_assert_eq(gw_optimiser_new(&optimiser, &options, parameters), GW_OK, "%s", gw_message());
    for (int step = 0; step < STEPS; step++) {
        const gw_batch batch = batch_of(step == 2 ? 9 : 7, 6, step);
        double norm;
        cr_assert_eq(parameters->mirror.kernels->zero(gw_network_gradient(network), parameters->mirror.bytes), GW_OK);
        check_forward(network, &batch);
        check_backward(network);
        cr_assert_eq(
            gw_optimiser_step(&optimiser, parameters, gw_network_gradient(network), step, 1e-3 * (1 + step), &norm),
            GW_OK, "%s", gw_message());
    }
    add(out, gw_network_gradient(network), parameters->floats);
    add(out, parameters->mirror.device, parameters->floats);
    gw_optimiser_free(&optimiser);
    gw_network_free(network);
    gw_model_free(model);
}

static test_graph_counts expect_same_training(const gw_config *config) {
    static numbers with, without;
    with.count = without.count = 0;
    set_graphs(false);
    train(config, &without);
    set_graphs(true);
    train(config, &with);
    expect_same(&with, &without);
    return test_graphs();
}

Test(cuda, graphs_train_with_the_same_bits) {
    begin();
    gw_config config = fixture_config(0, 0.25);
    const test_graph_counts n = expect_same_training(&config);
    gw_config_free(&config);
    if (test_on_gpu()) return;
    cr_expect_eq(n.faults, 0);
    cr_expect_geq(n.repeated, 3 * 2); // forward, backward and the update, but in the first step
    cr_expect_geq(n.updated, 3);
}

Test(cuda, graphs_leave_what_waits_for_the_host) {
    begin();
    gw_config config = fixture_config(0, 0);
    cr_assert_eq(gw_config_use_pattern(&config, "sbm:8"), GW_OK, "%s", gw_message());
    const test_graph_counts n = expect_same_training(&config);
    gw_config_free(&config);
    if (test_on_gpu()) return;
    cr_expect_eq(n.faults, 0);
    cr_expect_eq(n.repeated, 3 * 2, "%ld", n.repeated); // backward passes and updates
}
