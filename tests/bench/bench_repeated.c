// SPDX-License-Identifier: MIT
// Finding repeated tokens (Cho et al., 2022, section 5.1): N integers below N, each labelled by whether it stands
// twice. One layer of one head, 32 wide, learns it only where the head reads every token: what does a pattern reach?
//   bench_repeated [SPEC [STEPS [BATCH [N [SEED [GRADIENT [PRICE]]]]]]]  (sbm:128, 20, 16, 256, 1, score or mask, 0;
//   the paper: 2000 steps of 256)
// PRICE is that of the expected density; a negative one pays for it.
// A line each step: loss, share of right labels, density of the sampled graph (nan: not sampled).
#include "base/json.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/parse.h"
#include "base/random.h"
#include "network/network.h"
#include "run/optimiser.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 32, FEED_FORWARD = 64 };

static void check(gw_status status) {
    if (status == GW_OK) return;
    fprintf(stderr, "bench_repeated: %s\n", gw_message());
    exit(1);
}

static int64_t number(int count, char **values, int index, int64_t usual) {
    int64_t value = usual;
    if (count > index) check(gw_parse_int(values[index], 1, INT32_MAX, &value));
    return value;
}

static gw_model *make_model(const char *spec, int64_t tokens, uint64_t seed) {
    gw_config config;
    gw_model *model;
    check(gw_config_preset("tiny", &config));
    check(gw_config_use_pattern(&config, spec));
    config.vocabulary = config.positions = tokens;
    config.width = WIDTH;
    config.feed_forward = FEED_FORWARD;
    config.layers = config.heads = config.segments = 1;
    config.rotary = 2; // two of the 32 dimensions are turned by position; no positions are added, which full attention
                       // does not learn to look past at the paper's size
    config.initializer_range = 0.18; // 1 / sqrt(WIDTH)
    config.dropout = config.classifier_dropout = 0;
    config.head = GW_HEAD_TOKEN;
    config.labels = 2;
    check(gw_model_new(&config, NULL, seed, &model));
    gw_config_free(&config);
    return model;
}

// Sequences of a step, from its own stream of draws.
static void fill(gw_rows *rows, int64_t tokens, uint64_t seed, int64_t step) {
    gw_random random = gw_random_at(seed, GW_SITE_CORPUS, (uint64_t)step, 0);
    for (int64_t s = 0; s < rows->sequences; s++) {
        int32_t *token = rows->token + s * tokens, *label = rows->label + s * tokens;
        for (int64_t i = 0; i < tokens; i++) token[i] = (int32_t)gw_random_below(&random, (uint64_t)tokens);
        for (int64_t i = 0; i < tokens; i++) {
            label[i] = 0;
            for (int64_t j = 0; j < tokens; j++) label[i] |= j != i && token[j] == token[i];
        }
    }
}

static double first_density(const gw_network *network) {
    json_t *row = json_object();
    gw_network_add_metrics(network, row);
    const json_t *layer = json_array_get(json_object_get(row, "density"), 0);
    const double density = layer ? json_number_value(json_array_get(layer, 0)) : NAN;
    json_decref(row);
    return density;
}

static void train(gw_model *model, int64_t steps, int64_t batch, int64_t tokens, uint64_t seed,
                  const gw_sbm_learning *learning) {
    gw_batch data = {0};
    gw_rows *rows = &data.of[GW_ROWS_TOKENS];
    gw_network *network;
    gw_optimiser optimiser;
    const gw_network_options options = {
        .tokens = batch * tokens, .sequences = batch, .training = true, .seed = seed, .mixer.sbm = *learning};
    gw_optimiser_options adam = gw_optimiser_defaults();
    adam.decay = 0;
    check(gw_rows_make(rows, batch * tokens, batch, GW_WITH_TOKEN | GW_WITH_LABEL));
    rows->count = batch * tokens;
    rows->sequences = batch;
    for (int64_t s = 0; s <= batch; s++) rows->start[s] = s * tokens;
    check(gw_network_new(model, &options, &network));
    check(gw_optimiser_new(&optimiser, &adam, &model->parameters));
    puts("step\tloss\tright\tdensity");
    for (int64_t step = 0; step < steps; step++) {
        gw_losses losses;
        const gw_loss_sum *sum = &losses.of[GW_ROWS_TOKENS];
        double norm;
        data.step = (uint32_t)step;
        fill(rows, tokens, seed, step);
        gw_network_restart_metrics(network);
        const gw_mirror *mirror = &model->parameters.mirror;
        check(mirror->kernels->zero(gw_network_gradient(network), mirror->bytes));
        check(gw_network_forward(network, &data, &losses));
        check(gw_network_backward(network, (float[GW_BATCH_ROWS]){[GW_ROWS_TOKENS] = 1 / (float)(batch * tokens)}));
        check(gw_optimiser_step(&optimiser, &model->parameters, gw_network_gradient(network), step, 1e-3, &norm));
        printf("%lld\t%.5f\t%.5f\t%.4f\n", (long long)step + 1, sum->loss / (double)sum->count,
               (double)sum->right / (double)sum->count, first_density(network));
        fflush(stdout);
    }
    gw_optimiser_free(&optimiser);
    gw_network_free(network);
    gw_batch_free(&data);
}

int main(int count, char **values) {
    const char *spec = count > 1 ? values[1] : "sbm:128";
    const int64_t steps = number(count, values, 2, 20), batch = number(count, values, 3, 16),
                  tokens = number(count, values, 4, 256);
    const uint64_t seed = (uint64_t)number(count, values, 5, 1);
    gw_set_threads(1);
    gw_model *model = make_model(spec, tokens, seed);
    gw_sbm_learning learning = GW_SBM_LEARNING_DEFAULTS;
    learning.gradient = count > 6 && strcmp(values[6], "mask") == 0;
    learning.expected = true;
    learning.weight = count > 7 ? atof(values[7]) : 0;
    train(model, steps, batch, tokens, seed, &learning);
    gw_model_free(model);
    return 0;
}
