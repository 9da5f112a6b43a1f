// SPDX-License-Identifier: MIT
// What an attention costs by length: the small encoder of Long Range Arena (2 layers of 2 heads of 32, feed-forward
// 128) over one sequence, whole: forward as a model that is only run, and a training step's forward and backward.
//   bench_mixers SPEC [MOST [LEAST [RUNS]]]       (65536, 1024, 3; lengths by factors of 4)
// A line each: tokens; seconds of the processor of both, the fastest of the runs, one thread; megabytes of the step.
#include "base/parallel.h"
#include "base/parse.h"
#include "base/random.h"
#include "network/network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SYMBOLS = 64 };

static void check(gw_status status) {
    if (status == GW_OK) return;
    fprintf(stderr, "bench_mixers: %s\n", gw_message());
    exit(1);
}

static gw_model *make_model(const char *spec, int64_t tokens) {
    static const char text[] =
        "{\"model_type\": \"bert\", \"architectures\": [\"BertForSequenceClassification\"], \"vocab_size\": 64,"
        " \"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_attention_heads\": 2, \"intermediate_size\": 128,"
        " \"max_position_embeddings\": 512, \"type_vocab_size\": 1, \"pre_layer_norm\": true,"
        " \"hidden_dropout_prob\": 0, \"problem_type\": \"single_label_classification\", \"num_labels\": 10,"
        " \"godwit\": {\"pooling\": \"mean\"}}";
    gw_config config;
    gw_model *model;
    check(gw_config_parse("bench_mixers", text, (int64_t)strlen(text), &config));
    check(gw_config_use_pattern(&config, spec));
    config.positions = tokens;
    check(gw_model_new(&config, NULL, 1, &model));
    gw_config_free(&config);
    return model;
}

static void fill(gw_batch *batch, int64_t tokens) {
    gw_rows *rows = &batch->of[GW_ROWS_TOKENS];
    gw_random random = gw_random_at(1, GW_SITE_TEST, (uint64_t)tokens, 0);
    static int32_t label[1] = {3};
    check(gw_rows_make(rows, tokens, 1, GW_WITH_TOKEN));
    for (int64_t i = 0; i < tokens; i++) rows->token[i] = (int32_t)gw_random_below(&random, SYMBOLS);
    rows->count = rows->start[1] = tokens;
    rows->sequences = 1;
    batch->of[GW_ROWS_FIRST].label = label;
}

static gw_network *network_of(gw_model *model, int64_t tokens, bool training) {
    gw_network *network;
    check(gw_network_new(
        model,
        &(gw_network_options){
            .tokens = tokens, .sequences = 1, .training = training, .seed = 1, .mixer = GW_MIXER_OPTIONS_DEFAULTS},
        &network));
    return network;
}

// The fastest of `runs`, after one that is not counted.
static double seconds(gw_network *network, const gw_batch *batch, bool training, int64_t runs) {
    double fastest = INFINITY;
    gw_losses losses;
    for (int64_t run = 0; run <= runs; run++) {
        const clock_t began = clock();
        check(gw_network_forward(network, batch, &losses));
        if (training) check(gw_network_backward(network, (float[GW_BATCH_ROWS]){[GW_ROWS_FIRST] = 1}));
        const double taken = (double)(clock() - began) / CLOCKS_PER_SEC;
        if (run > 0 && taken < fastest) fastest = taken;
    }
    return fastest;
}

static void measure(const char *spec, int64_t tokens, int64_t runs) {
    gw_batch batch = {0};
    gw_model *model = make_model(spec, tokens);
    fill(&batch, tokens);
    gw_network *inference = network_of(model, tokens, false);
    const double forward = seconds(inference, &batch, false, runs);
    gw_network_free(inference);
    gw_network *training = network_of(model, tokens, true);
    const double step = seconds(training, &batch, true, runs), bytes = (double)gw_network_bytes(training);
    gw_network_free(training);
    printf("%s\t%lld\t%.4f\t%.4f\t%.0f\n", spec, (long long)tokens, forward, step, bytes / 1e6);
    fflush(stdout);
    batch.of[GW_ROWS_FIRST].label = NULL;
    gw_batch_free(&batch);
    gw_model_free(model);
}

static int64_t number(int count, char **values, int index, int64_t usual) {
    int64_t value = usual;
    if (count > index) check(gw_parse_int(values[index], 1, 1 << 24, &value));
    return value;
}

int main(int count, char **values) {
    const char *spec = count > 1 ? values[1] : "linear";
    const int64_t most = number(count, values, 2, 65536), least = number(count, values, 3, 1024),
                  runs = number(count, values, 4, 3);
    gw_set_threads(1);
    for (int64_t tokens = least; tokens <= most; tokens *= 4) measure(spec, tokens, runs);
    return 0;
}
