// SPDX-License-Identifier: MIT
// What a pattern, or another mixer, costs in a whole layer: seconds of a forward pass and of a training step (forward
// and backward) of one sequence, by its length.
//   bench_patterns [WIDTH [LAYERS [REPEATS [TOKENS [SPEC ...]]]]]   (256 2 3 4096 itc etc:84+hard full)
// Heads have 64 numbers. Medians of REPEATS after one that is not counted.
#include "base/parallel.h"
#include "base/parse.h"
#include "base/random.h"
#include "network/network.h"
#include "run/bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 1000, HEAD = 64 };

static void check(gw_status status) {
    if (status == GW_OK) return;
    fprintf(stderr, "bench_patterns: %s\n", gw_message());
    exit(1);
}

static int64_t number(int count, char **values, int index, int64_t usual) {
    int64_t value = usual;
    if (count > index) check(gw_parse_int(values[index], 1, INT32_MAX, &value));
    return value;
}

static gw_model *make_model(const char *spec, int64_t width, int64_t layers, int64_t tokens) {
    gw_config config;
    gw_model *model;
    check(gw_config_preset("tiny", &config));
    check(gw_config_use_pattern(&config, spec));
    config.vocabulary = WORDS;
    config.positions = tokens;
    config.width = width;
    config.feed_forward = 4 * width;
    config.layers = layers;
    config.heads = width / HEAD;
    config.head = GW_HEAD_TOKEN;
    config.labels = 2;
    check(gw_model_new(&config, NULL, 1, &model));
    gw_config_free(&config);
    return model;
}

typedef struct {
    gw_network *network;
    const gw_batch *batch;
    bool backward;
} pass;

static gw_status run_pass(void *context) {
    const pass *p = context;
    GW_TRY(gw_network_forward(p->network, p->batch, NULL));
    return p->backward ? gw_network_backward(p->network, (float[GW_BATCH_ROWS]){[GW_ROWS_TOKENS] = 1}) : GW_OK;
}

static double seconds_of(gw_model *model, const gw_batch *batch, bool training, int64_t repeats) {
    const gw_network_options options = {
        .tokens = batch->of[GW_ROWS_TOKENS].count, .sequences = 1, .training = training};
    const gw_bench bench = {.repeats = repeats};
    pass p = {.batch = batch, .backward = training};
    double seconds;
    check(gw_network_new(model, &options, &p.network));
    check(gw_bench_time(&bench, run_pass, &p, &seconds));
    gw_network_free(p.network);
    return seconds;
}

static void measure(const char *spec, int64_t width, int64_t layers, int64_t repeats, const gw_batch *batch) {
    gw_model *model = make_model(spec, width, layers, batch->of[GW_ROWS_TOKENS].count);
    const double forward = seconds_of(model, batch, false, repeats), step = seconds_of(model, batch, true, repeats);
    printf("%s\t%lld\t%.4f\t%.4f\n", spec, (long long)batch->of[GW_ROWS_TOKENS].count, forward, step);
    fflush(stdout);
    gw_model_free(model);
}

int main(int count, char **values) {
    static char *const usual[] = {"itc", "etc:84+hard", "full"};
    const int64_t width = number(count, values, 1, 256), layers = number(count, values, 2, 2),
                  repeats = number(count, values, 3, 3), tokens = number(count, values, 4, 4096);
    gw_batch batch = {0};
    gw_rows *rows = &batch.of[GW_ROWS_TOKENS];
    gw_random random = gw_random_at(1, GW_SITE_TEST, 0, 0);
    check(gw_rows_make(rows, tokens, 1, GW_WITH_TOKEN | GW_WITH_LABEL));
    for (int64_t i = 0; i < tokens; i++) {
        rows->token[i] = (int32_t)gw_random_below(&random, WORDS);
        rows->label[i] = (int32_t)gw_random_below(&random, 2);
    }
    rows->count = tokens;
    gw_rows_end_sequence(rows);
    gw_set_threads(1);
    puts("pattern\ttokens\tforward_s\tstep_s");
    if (count <= 5)
        for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) measure(usual[i], width, layers, repeats, &batch);
    for (int i = 5; i < count; i++) measure(values[i], width, layers, repeats, &batch);
    gw_batch_free(&batch);
    return 0;
}
