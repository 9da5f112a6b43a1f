// SPDX-License-Identifier: MIT
// A run that is interrupted while it computes a step, or while it validates, goes on as if it had not been.
#include "base/output.h"
#include "run/trainer.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(trainer, .init = scratch_enter, .fini = scratch_leave);

enum { STEPS = 6 };

typedef struct {
    gw_model *model;
    float *gradient;
    int64_t stop_in, stop_after; // the step that is interrupted while it is computed, or after its update; once
    int64_t states;              // steps at whose beginning timed/training.state was there
} toy_run;

static gw_status compute(void *context, int64_t step, json_t *row, double *loss, int64_t *tokens) {
    toy_run *toy = context;
    (void)row;
    toy->states += gw_file_exists("timed/training.state");
    if (step == toy->stop_in) {
        toy->stop_in = -1;
        return GW_ERR_INTERRUPTED;
    }
    for (int64_t i = 0; i < toy->model->parameters.floats; i++)
        toy->gradient[i] = (float)((i + step * 7) % 13 - 6) * 0.01F;
    *loss = 1 + (double)step;
    *tokens = 10;
    return GW_OK;
}

static gw_status updated(void *context, int64_t done, json_t *row, bool *report) {
    toy_run *toy = context;
    if (done == toy->stop_after) {
        toy->stop_after = -1;
        return GW_ERR_INTERRUPTED;
    }
    json_object_set_new(row, "validated", json_integer(done));
    *report = done % 2 == 1;
    return GW_OK;
}

static gw_model *toy_model(void) {
    gw_config config;
    gw_tokenizer *letters;
    gw_model *model;
    cr_assert_eq(gw_config_preset("tiny", &config), GW_OK);
    cr_assert_eq(gw_tokenizer_letters(&letters), GW_OK);
    config.width = 16;
    config.layers = 1;
    config.feed_forward = 16;
    config.positions = 16;
    cr_assert_eq(gw_model_new(&config, letters, 5, &model), GW_OK, "%s", gw_message());
    gw_config_free(&config);
    return model;
}

// Trains until it ends, in as many goes as there are interruptions. Returns the weights, and the lines of metrics
// without times.
static float *train(const char *folder, int64_t stop_in, int64_t stop_after, float *average, char **lines) {
    char metrics[64];
    gw_status status = GW_ERR_INTERRUPTED;
    float *weights = NULL;
    toy_run toy = {.stop_in = stop_in, .stop_after = stop_after};
    snprintf(metrics, sizeof metrics, "%s.jsonl", folder);
    for (int go = 0; status == GW_ERR_INTERRUPTED && go < 3; go++) {
        toy.model = toy_model();
        const int64_t floats = toy.model->parameters.floats;
        toy.gradient = calloc((size_t)floats, sizeof(float));
        const gw_trainer_options options = {
            .schedule = gw_schedule_make(GW_SCHEDULE_COSINE, 0.01, 2, STEPS),
            .optimiser = gw_optimiser_defaults(),
            .checkpoints = folder,
            .resume = true,
            .metrics = metrics,
            .fingerprint = "toy",
            .average_decay = 0.9,
        };
        gw_training training = {.model = toy.model,
                                .gradient = toy.gradient,
                                .context = &toy,
                                .compute = compute,
                                .updated = updated,
                                .average = average};
        status = gw_train(&training, &options);
        cr_assert(status == GW_OK || status == GW_ERR_INTERRUPTED, "%s", gw_message());
        free(weights);
        weights = malloc((size_t)floats * sizeof(float));
        memcpy(weights, toy.model->parameters.weight, (size_t)floats * sizeof(float));
        free(toy.gradient);
        gw_model_free(toy.model);
    }
    cr_assert_eq(status, GW_OK);
    int64_t length;
    cr_assert_eq(gw_read_file(metrics, lines, &length), GW_OK);
    for (char *at; (at = strstr(*lines, "\"seconds\""));) { // up to what comes behind the times
        const char *validated = strstr(at, "\"validated\"");
        cr_assert_not_null(validated);
        memmove(at, validated, strlen(validated) + 1);
    }
    return weights;
}

Test(trainer, interrupted_runs_go_on_bit_for_bit) {
    gw_model *model = toy_model();
    const size_t bytes = (size_t)model->parameters.floats * sizeof(float);
    float *average = malloc(bytes), *other = malloc(bytes);
    char *lines, *others;
    gw_model_free(model);
    float *whole = train("whole", -1, -1, average, &lines);
    const int64_t stops[][2] = {{3, -1}, {-1, 3}, {4, 3}, {-1, STEPS}, {0, 2}};
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        char folder[16];
        snprintf(folder, sizeof folder, "stopped%zu", i);
        float *weights = train(folder, stops[i][0], stops[i][1], other, &others);
        cr_assert(memcmp(weights, whole, bytes) == 0, "other weights, case %zu", i);
        cr_assert(memcmp(other, average, bytes) == 0, "another average, case %zu", i);
        cr_assert_str_eq(others, lines);
        free(weights);
        free(others);
    }
    cr_assert(strstr(lines, "\"validated\":3"));
    free(lines);
    free(whole);
    free(average);
    free(other);
}

// a += (1 - min(d, (1 + t) / (10 + t))) (w - a), written down again from the weights of every step.
Test(trainer, the_average_follows_its_formula) {
    gw_model *model = toy_model();
    const int64_t floats = model->parameters.floats;
    float *average = malloc((size_t)floats * sizeof(float));
    double *want = malloc((size_t)floats * sizeof(double));
    for (int64_t i = 0; i < floats; i++) want[i] = (double)model->parameters.weight[i];
    gw_model_free(model);
    for (int64_t steps = 1; steps <= STEPS; steps++) { // the weights after each of the steps of one schedule
        char folder[16];
        snprintf(folder, sizeof folder, "to%lld", (long long)steps);
        toy_run toy = {.model = toy_model(), .stop_in = steps, .stop_after = -1};
        toy.gradient = calloc((size_t)floats, sizeof(float));
        const gw_trainer_options options = {.schedule = gw_schedule_make(GW_SCHEDULE_COSINE, 0.01, 2, STEPS),
                                            .optimiser = gw_optimiser_defaults(),
                                            .checkpoints = folder,
                                            .fingerprint = "toy",
                                            .average_decay = 0.3};
        gw_training training = {
            .model = toy.model, .gradient = toy.gradient, .context = &toy, .compute = compute, .average = average};
        cr_assert_eq(gw_train(&training, &options), steps == STEPS ? GW_OK : GW_ERR_INTERRUPTED);
        const double first = (double)steps / (double)(9 + steps), share = 1 - (first < 0.3 ? first : 0.3);
        for (int64_t i = 0; i < floats; i++) want[i] += share * ((double)toy.model->parameters.weight[i] - want[i]);
        for (int64_t i = 0; i < floats; i++) cr_assert_float_eq((double)average[i], want[i], 1e-6);
        free(toy.gradient);
        gw_model_free(toy.model);
    }
    free(average);
    free(want);
}

// How many steps began with a state there, in a run that is to save one after so many seconds without.
static int64_t states_of(double seconds) {
    toy_run toy = {.model = toy_model(), .stop_in = -1, .stop_after = -1};
    toy.gradient = calloc((size_t)toy.model->parameters.floats, sizeof(float));
    const gw_trainer_options options = {.schedule = gw_schedule_make(GW_SCHEDULE_COSINE, 0.01, 2, STEPS),
                                        .optimiser = gw_optimiser_defaults(),
                                        .checkpoints = "timed",
                                        .save_seconds = seconds,
                                        .fingerprint = "toy"};
    gw_training training = {.model = toy.model, .gradient = toy.gradient, .context = &toy, .compute = compute};
    remove("timed/training.state");
    cr_assert_eq(gw_train(&training, &options), GW_OK, "%s", gw_message());
    cr_assert(gw_file_exists("timed/training.state"));
    free(toy.gradient);
    gw_model_free(toy.model);
    return toy.states;
}

Test(trainer, the_state_is_saved_after_a_while) {
    cr_assert_eq(states_of(0), 0);
    cr_assert_eq(states_of(1e9), 0);
    cr_assert_gt(states_of(1e-9), 0); // a save waits for fifty times what the last one took
}
