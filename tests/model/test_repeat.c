// SPDX-License-Identifier: MIT
// CUDA graphs over the emulated plugin: scoring batches and training steps have the bits of launches one by one, when
// shapes, lengths and draws change, and where a plan waits for the host.
#include "base/memory.h"
#include "fixtures.h"
#include "gradient_check.h"
#include "run/optimiser.h"
#include "tests/kernel/emulated.h"

#include <criterion/criterion.h>
#include <math.h>
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

static const int lengths[][2] = {{5, 7}, {5, 7}, {5, 7},  {5, 7},  {7, 5},  {7, 5},
                                 {7, 5}, {6, 0}, {17, 6}, {17, 6}, {17, 6}, {5, 7}};
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
    // allocated. Then a batch is captured that has the launches of the one before: the third, the sixth and the
    // eleventh.
    const test_graph_counts n = test_graphs();
    cr_expect_eq(n.faults, 0);
    cr_expect_eq(n.captured, 3, "%ld", n.captured);
    cr_expect_eq(n.instantiated + n.updated, 3, "%ld + %ld", n.instantiated, n.updated);
    cr_expect_gt(n.updated, 0);
    cr_expect_eq(n.repeated, 3 + 2, "%ld", n.repeated);
}

// ---- training

// The lengths of a step's first sequence, and how many tokens are masked. Of 9 at most, numbers are rounded up to 2.
static const struct {
    int first, masked;
} steps[] = {{7, 2}, {7, 2}, {7, 2}, {7, 1}, {7, 2}, {9, 2}, {9, 1}, {9, 2}, {9, 1}};
enum { STEPS = sizeof steps / sizeof steps[0] };

static void train(const gw_config *config, numbers *out) {
    gw_model *model = fixture_model_of(config);
    gw_network *network = fixture_network(model, true);
    gw_parameters *parameters = &model->parameters;
    gw_optimiser optimiser;
    const gw_optimiser_options options = gw_optimiser_defaults();
    cr_assert_eq(gw_optimiser_new(&optimiser, &options, parameters), GW_OK, "%s", gw_message());
    for (int step = 0; step < STEPS; step++) {
        gw_batch batch = batch_of(steps[step].first, 6, step);
        float scale[GW_BATCH_ROWS] = {[GW_ROWS_MASKED] = 1.0f / (float)steps[step].masked, [GW_ROWS_FIRST] = 0.5f};
        double norm;
        batch.of[GW_ROWS_MASKED].count = steps[step].masked;
        batch.of[GW_ROWS_TOKENS].first = (int64_t)step << 33;
        cr_assert_eq(parameters->mirror.kernels->zero(gw_network_gradient(network), parameters->mirror.bytes), GW_OK);
        const gw_losses losses = check_forward(network, &batch);
        cr_expect_eq(losses.of[GW_ROWS_MASKED].count, steps[step].masked);
        cr_assert_eq(gw_network_backward(network, scale), GW_OK, "%s", gw_message());
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

Test(cuda, graphs_repeat_a_training_step) {
    begin();
    gw_config config = fixture_config(0, 0.25);
    const test_graph_counts n = expect_same_training(&config);
    gw_config_free(&config);
    if (test_on_gpu()) return;
    // The first step is launched as without graphs, and the third one's sequences are captured. Other draws, rates,
    // scales and numbers of masked tokens repeat them. The sixth step has other lengths, and its forward pass allocates
    // for them: the backward pass is captured in the seventh step, the forward pass in the eighth.
    cr_expect_eq(n.faults, 0);
    cr_expect_eq(n.captured, 3 + 2, "%ld", n.captured);
    cr_expect_eq(n.instantiated + n.updated, 3 + 2, "%ld + %ld", n.instantiated, n.updated);
    cr_expect_eq(n.repeated, 3 * 3 + 1 + 2 + 2 * 3, "%ld", n.repeated);
}

Test(cuda, graphs_leave_what_waits_for_the_host) {
    begin();
    gw_config config = fixture_config(0, 0);
    cr_assert_eq(gw_config_use_pattern(&config, "sbm:8"), GW_OK, "%s", gw_message());
    const test_graph_counts n = expect_same_training(&config);
    gw_config_free(&config);
    if (test_on_gpu()) return;
    cr_expect_eq(n.faults, 0);
    cr_expect_eq(n.repeated, STEPS - 2, "%ld", n.repeated); // updates: each backward pass reads other edges
}

// ---- ops with numbers that change

enum { ROWS = 4, COUNT = 2 * ROWS };

// In device memory: what the ops read and write.
typedef struct {
    int64_t start[2];
    gw_gradient_norm norm;
    int32_t label[COUNT], index[COUNT], best[COUNT];
    float logit[COUNT], number[COUNT];
    float weight[3][COUNT], first_moment[3][COUNT], second_moment[3][COUNT], dropped[2][COUNT], scratch[COUNT];
    float loss[6][COUNT], gradient[6][COUNT];
} op_memory;

typedef struct {
    op_memory *device;
    int run; // from 0
} op_run;

static gw_status launch_losses(op_memory *d, float scale) {
    const gw_backend *k = gw_kernels();
    GW_TRY(k->cross_entropy(&(gw_cross_entropy_args){.rows = 2,
                                                     .classes = ROWS,
                                                     .logit = d->logit,
                                                     .logit_stride = ROWS,
                                                     .label = d->label,
                                                     .loss = d->loss[0],
                                                     .gradient = d->gradient[0],
                                                     .gradient_scale = scale}));
    GW_TRY(k->bce(&(gw_bce_args){.count = COUNT,
                                 .labels = COUNT,
                                 .logit = d->logit,
                                 .label = d->number,
                                 .positive_weight = d->number,
                                 .loss = d->loss[1],
                                 .gradient = d->gradient[1],
                                 .gradient_scale = scale}));
    GW_TRY(k->number_loss(&(gw_number_loss_args){.kind = GW_NUMBER_LOSS_POISSON,
                                                 .rows = 2,
                                                 .columns = ROWS,
                                                 .logit = d->logit,
                                                 .label = d->number,
                                                 .loss = d->loss[2],
                                                 .gradient = d->gradient[2],
                                                 .gradient_scale = scale}));
    GW_TRY(k->profile_loss(&(gw_profile_loss_args){.sequences = 1,
                                                   .columns = 1,
                                                   .count_weight = 1,
                                                   .start = d->start,
                                                   .logit = d->logit,
                                                   .label = d->number,
                                                   .loss = d->loss[3],
                                                   .gradient = d->gradient[3],
                                                   .gradient_scale = scale}));
    GW_TRY(k->span_loss(&(gw_span_loss_args){.sequences = 1,
                                             .tokens = ROWS,
                                             .start = d->start,
                                             .logit = d->logit,
                                             .label = d->label,
                                             .loss = d->loss[4],
                                             .best = d->best,
                                             .gradient = d->gradient[4],
                                             .gradient_scale = scale}));
    return k->choice_loss(&(gw_choice_loss_args){.choices = 1,
                                                 .logits = ROWS,
                                                 .start = d->start,
                                                 .entry = d->index,
                                                 .number = d->number,
                                                 .logit = d->logit,
                                                 .loss = d->loss[5],
                                                 .gradient = d->gradient[5],
                                                 .gradient_scale = scale});
}

static gw_status launch_updates(op_memory *d, float rate) {
    const gw_backend *k = gw_kernels();
    gw_adamw_args adam = {.count = COUNT,
                          .gradient = d->number,
                          .norm = &d->norm,
                          .rate = rate,
                          .beta1 = 0.5f,
                          .beta2 = 0.75f,
                          .epsilon = 1e-3f,
                          .decay = 0.1f,
                          .correction1 = 1 - rate,
                          .correction2 = 1 - rate / 2};
    adam.weight = d->weight[0], adam.first_moment = d->first_moment[0], adam.second_moment = d->second_moment[0];
    GW_TRY(k->adamw(&adam));
    adam.weight = d->weight[1], adam.first_moment = d->first_moment[1], adam.second_moment = d->second_moment[1];
    GW_TRY(k->lamb(&adam));
    return k->adafactor(&(gw_adafactor_args){.rows = 2,
                                             .columns = ROWS,
                                             .weight = d->weight[2],
                                             .row_moment = d->first_moment[2],
                                             .column_moment = d->second_moment[2],
                                             .scratch = d->scratch,
                                             .gradient = d->number,
                                             .norm = &d->norm,
                                             .rate = rate,
                                             .decay = 1 - rate,
                                             .epsilon = 1e-3f,
                                             .threshold = 1});
}

static gw_status launch_ops(void *context) {
    const op_run *r = context;
    op_memory *d = r->device;
    const float number = 0.5f / (float)(1 + r->run);
    GW_TRY(launch_losses(d, number));
    GW_TRY(launch_updates(d, number));
    const gw_dropout_args drop = {.count = COUNT,
                                  .probability = 0.5f,
                                  .seed = 3,
                                  .step = (uint32_t)r->run,
                                  .first_element = 4 * r->run,
                                  .in = d->logit,
                                  .out = d->dropped[0],
                                  .out_gradient = d->number,
                                  .in_gradient = d->dropped[1]};
    GW_TRY(gw_kernels()->dropout_add(&drop));
    return gw_kernels()->dropout_add_backward(&drop);
}

enum { RUNS = 5 };

static void run_ops(bool graphs, op_memory *out) {
    const gw_backend *k = gw_kernels();
    op_memory begin = {.start = {0, ROWS}, .norm = {1, 1}, .label = {1, 2}, .index = {3, 1, 0, 2}};
    op_run r = {0};
    gw_record *record = NULL;
    for (int i = 0; i < COUNT; i++) begin.logit[i] = 0.3f * (float)(i * i % 7), begin.number[i] = (float)(i % 2);
    set_graphs(graphs);
    cr_assert_eq(k->allocate(sizeof begin, (void **)&r.device), GW_OK, "%s", gw_message());
    cr_assert_eq(k->to_device(r.device, &begin, sizeof begin), GW_OK);
    for (; r.run < RUNS; r.run++) cr_assert_eq(k->repeat(&record, launch_ops, &r), GW_OK, "%s", gw_message());
    cr_assert_eq(k->to_host(out, r.device, sizeof *out), GW_OK, "%s", gw_message());
    k->record_free(record);
    k->release(r.device);
}

Test(cuda, graphs_read_numbers_that_change) {
    begin();
    op_memory with, without;
    run_ops(false, &without);
    run_ops(true, &with);
    for (int i = 0; i < 6; i++) {
        double size = 0;
        for (int k = 0; k < COUNT; k++) size += fabs((double)without.gradient[i][k]);
        cr_expect(isfinite(size) && size > 0, "loss %d has no gradient that could differ", i);
        cr_expect_arr_eq(with.gradient[i], without.gradient[i], sizeof with.gradient[i], "%d", i);
    }
    cr_expect(memcmp(&with, &without, sizeof with) == 0, "other bits with graphs");
    if (test_on_gpu()) return;
    const test_graph_counts n = test_graphs();
    cr_expect_eq(n.faults, 0);
    cr_expect_eq(n.captured, 1, "%ld", n.captured);
    cr_expect_eq(n.repeated, RUNS - 2, "%ld", n.repeated);
}

// ---- calls that no graph can hold

typedef struct {
    float *device, host;
    void *memory[RUNS];
    int made, run;
} held;

static gw_status launch_and_read(void *context) {
    held *h = context;
    GW_TRY(gw_kernels()->zero(h->device, sizeof h->host));
    return gw_kernels()->to_host(&h->host, h->device, sizeof h->host);
}

static gw_status launch_in_new_memory(void *context) {
    held *h = context;
    GW_TRY(gw_kernels()->allocate(sizeof h->host, &h->memory[h->run]));
    h->made++;
    return GW_OK;
}

Test(cuda, graphs_end_at_calls_that_wait_or_allocate) {
    begin();
    set_graphs(true);
    const gw_backend *k = gw_kernels();
    gw_record *reads = NULL, *allocates = NULL;
    held h = {0};
    cr_assert_eq(k->allocate(sizeof h.host, (void **)&h.device), GW_OK);
    for (h.run = 0; h.run < RUNS; h.run++) {
        h.host = 1;
        cr_assert_eq(k->repeat(&reads, launch_and_read, &h), GW_OK, "%s", gw_message());
        cr_expect_eq(h.host, 0);
        cr_assert_eq(k->repeat(&allocates, launch_in_new_memory, &h), GW_OK, "%s", gw_message());
    }
    cr_expect_eq(h.made, RUNS, "memory was allocated %d times", h.made);
    for (int i = 0; i < RUNS; i++) k->release(h.memory[i]);
    k->release(h.device);
    k->record_free(reads);
    k->record_free(allocates);
    if (test_on_gpu()) return;
    cr_expect_eq(test_graphs().captured, 0);
    cr_expect_eq(test_graphs().faults, 0);
}
