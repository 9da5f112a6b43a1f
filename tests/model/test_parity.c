// SPDX-License-Identifier: MIT
// Golden vectors of transformers (and, for GENA-LM, of a dense statement): tests/data/parity, written and described by
// tests/oracle/parity_golden.py. Weights and tokens are made by the same formula there and here.
#include "base/memory.h"
#include "network/network.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOKENS = 1024, MOST_VALUES = 6 };
#define DATA "tests/data/parity"
static const double bound = 2e-5, gradient_bound = 1e-4; // by the largest value

typedef struct {
    char name[40], mode[16], output[96];
    int64_t length, first;
    double largest, value[MOST_VALUES];
    int count;
} golden;

typedef struct {
    gw_model *model;
    gw_network *network, *trainer; // trainer: made when a gradient is asked for
    float *turned;                 // a gradient in the order of a file, or NULL
    char mode[16];
    int64_t length;
    int32_t token[MOST_TOKENS], row[MOST_TOKENS], label[MOST_TOKENS], target[MOST_TOKENS], next[MOST_TOKENS];
    int64_t start[2], target_start[2];
} subject;

static uint32_t draw(uint32_t *state) {
    return *state = 1664525u * *state + 1013904223u;
}

static uint32_t fnv(const char *text) {
    uint32_t hash = 2166136261u;
    for (; *text; text++) hash = (hash ^ (uint8_t)*text) * 16777619u;
    return hash;
}

// From the order of a file to the network's, in place.
static void turn_taps(const gw_parameter *p, float *weight) {
    float *turned = gw_alloc(p->count, sizeof *turned);
    gw_parameter_from_file(p, weight, turned);
    memcpy(weight, turned, (size_t)p->count * sizeof *turned);
    free(turned);
}

static void fill(gw_model *model) {
    for (int i = 0; i < model->parameters.count; i++) {
        const gw_parameter *p = &model->parameters.list[i];
        float *weight = model->parameters.weight + p->offset;
        const bool vector = p->dimensions == 1;
        uint32_t state = fnv(p->stored);
        if (p->fixed) continue;
        for (int64_t j = 0; j < p->part * p->count; j++) draw(&state);
        for (int64_t j = 0; j < p->count; j++) {
            const float u = (float)(draw(&state) >> 8) / 16777216.0f - 0.5f;
            weight[j] = vector ? u / 4 + (p->bias ? 0.0f : 1.0f) : u;
        }
        if (p->taps_last) turn_taps(p, weight);
    }
}

// The layout of parity_golden.py: block i reads j where i = j or j = 0 or (i + 2 j + head + layer) mod 3 = 0.
static gw_layout *make_layout(const gw_config *config) {
    gw_layout *layout = gw_alloc(1, sizeof *layout);
    const int blocks = (int)(config->positions / config->pattern.block);
    *layout = (gw_layout){.layers = (int)config->layers, .heads = (int)config->heads, .blocks = blocks};
    layout->cell = gw_alloc((int64_t)layout->layers * layout->heads * blocks * blocks, 1);
    uint8_t *cell = layout->cell;
    for (int l = 0; l < layout->layers; l++)
        for (int h = 0; h < layout->heads; h++)
            for (int i = 0; i < blocks; i++)
                for (int j = 0; j < blocks; j++) *cell++ = i == j || j == 0 || (i + 2 * j + h + l) % 3 == 0;
    return layout;
}

static gw_model *make_model(const char *name) {
    char path[100];
    gw_config config;
    gw_model *model;
    snprintf(path, sizeof path, DATA "/%s.json", name);
    cr_assert_eq(gw_config_load(path, &config), GW_OK, "%s", gw_message());
    // A layout comes with weights that are read; a model made afresh gets it afterwards.
    const bool has_layout = config.family == GW_FAMILY_GENA, full = config.pattern.full;
    config.pattern.full |= has_layout;
    cr_assert_eq(gw_model_new(&config, NULL, 1, &model), GW_OK, "%s", gw_message());
    model->config.pattern.full = full;
    if (has_layout) model->layout = make_layout(&config);
    gw_config_free(&config);
    fill(model);
    return model;
}

static void fill_tokens(subject *s) {
    const gw_config *config = &s->model->config;
    uint32_t state = (uint32_t)s->length;
    s->start[1] = s->length;
    for (int64_t i = 0; i < s->length; i++) {
        s->token[i] = 5 + (int32_t)((draw(&state) >> 16) % (uint32_t)(config->vocabulary - 5));
        if (i == 10 && config->family == GW_FAMILY_BIGBIRD) s->token[i] = (int32_t)config->separator;
        s->row[i] = (int32_t)i;
        s->label[i] = i % 5 == 0 ? s->token[i] : -1;
    }
}

static void fill_target(subject *s) {
    const gw_config *config = &s->model->config;
    uint32_t state = (uint32_t)s->length + 1;
    const int64_t count = s->target_start[1] = s->length / 4;
    s->target[0] = (int32_t)config->decoder_start;
    for (int64_t i = 0; i < count; i++) {
        const int32_t token = 5 + (int32_t)((draw(&state) >> 16) % (uint32_t)(config->vocabulary - 5));
        if (i + 1 < count) s->target[i + 1] = token;
        s->next[i] = i % 4 == 3 ? -1 : token;
    }
}

static bool has_mask_head(const subject *s) {
    return s->model->config.head == GW_HEAD_PRETRAINING || s->model->config.head == GW_HEAD_MASKED;
}

static gw_batch batch_of(subject *s) {
    static int32_t pair[] = {1};
    static float label[] = {0, 1, 0};
    const bool pretraining = s->model->config.head == GW_HEAD_PRETRAINING;
    gw_batch batch = {.of = {[GW_ROWS_TOKENS] = {.sequences = 1, .start = s->start, .token = s->token},
                             [GW_ROWS_FIRST] = {.label = pretraining ? pair : NULL, .number = label}}};
    if (has_mask_head(s)) batch.of[GW_ROWS_MASKED] = (gw_rows){.count = s->length, .row = s->row, .label = s->label};
    if (s->model->config.decoder_layers > 0)
        batch.of[GW_ROWS_TARGET] =
            (gw_rows){.sequences = 1, .start = s->target_start, .token = s->target, .label = s->next};
    return batch;
}

static gw_network *run(subject *s, bool training) {
    const gw_batch batch = batch_of(s);
    const gw_network_options options = {.tokens = s->length,
                                        .sequences = 1,
                                        .masked = batch.of[GW_ROWS_MASKED].count,
                                        .nsp_head = s->model->config.head == GW_HEAD_PRETRAINING,
                                        .targets = s->model->config.decoder_layers > 0 ? s->target_start[1] : 0,
                                        .training = training};
    gw_network *network;
    gw_losses losses;
    cr_assert_eq(gw_network_new(s->model, &options, &network), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_network_forward(network, &batch, &losses), GW_OK, "%s", gw_message());
    if (!training) return network;
    float scale[GW_BATCH_ROWS];
    for (int rows = 0; rows < GW_BATCH_ROWS; rows++)
        scale[rows] = 1.0f / (float)(losses.of[rows].count > 0 ? losses.of[rows].count : 1);
    cr_assert_eq(gw_network_backward(network, scale), GW_OK, "%s", gw_message());
    return network;
}

static void end_runs(subject *s) {
    gw_network_free(s->network);
    gw_network_free(s->trainer);
    free(s->turned);
    s->network = s->trainer = NULL;
    s->turned = NULL;
}

// Makes the network of the line's mode and length, unless it is the one there is.
static void prepare(subject *s, const golden *g) {
    if (s->network && s->length == g->length && strcmp(s->mode, g->mode) == 0) return;
    end_runs(s);
    memcpy(s->mode, g->mode, sizeof s->mode);
    s->length = g->length;
    if (strcmp(g->mode, "own") != 0) {
        gw_pattern pattern;
        cr_assert_eq(gw_pattern_parse("itc", &pattern), GW_OK);
        pattern.block = s->model->config.pattern.block;
        cr_assert_eq(gw_pattern_use_mode(&pattern, g->mode), GW_OK, "%s", gw_message());
        s->model->config.pattern = pattern;
    }
    fill_tokens(s);
    fill_target(s);
    s->network = run(s, false);
}

// A parameter's gradient in the order of a file.
static const float *in_file_order(subject *s, const gw_parameter *p) {
    const float *gradient = gw_network_gradient(s->trainer) + p->offset;
    if (!p->taps_last) return gradient;
    free(s->turned);
    s->turned = gw_alloc(p->count, sizeof *s->turned);
    gw_parameter_to_file(p, gradient, s->turned);
    return s->turned;
}

// That of a stored tensor, as if the one of its parts that value `first` lies in were the whole.
static const float *gradient_of(subject *s, const char *stored, int64_t first) {
    for (int i = 0; i < s->model->parameters.count; i++) {
        const gw_parameter *p = &s->model->parameters.list[i];
        const int64_t before = p->part * p->count;
        if (strcmp(p->stored, stored) == 0 && first >= before && first < before + p->count)
            return in_file_order(s, p) - before;
    }
    return NULL;
}

static const float *output_of(subject *s, const char *output, int64_t first) {
    static const struct {
        const char *name;
        int rows;
    } outputs[] = {{"mlm", GW_ROWS_MASKED},   {"pair", GW_ROWS_FIRST},   {"label", GW_ROWS_FIRST},
                   {"token", GW_ROWS_TOKENS}, {"choice", GW_ROWS_FIRST}, {"pooled", GW_ROWS_FIRST},
                   {"target", GW_ROWS_TARGET}};
    if (strcmp(output, "hidden") == 0) return gw_network_hidden(s->network);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (strcmp(outputs[i].name, output) == 0) return gw_network_output(s->network, outputs[i].rows);
    if (!s->trainer) s->trainer = run(s, true);
    return gradient_of(s, output, first);
}

static void compare(subject *s, const golden *g) {
    prepare(s, g);
    const float *found = output_of(s, g->output, g->first);
    const double most = (strchr(g->output, '.') ? gradient_bound : bound) * g->largest;
    cr_assert_not_null(found, "%s: no output %s", g->name, g->output);
    for (int i = 0; i < g->count; i++)
        cr_expect(fabs((double)found[g->first + i] - g->value[i]) <= most,
                  "%s %s %lld: %s[%lld] is %.9g, expected %.9g", g->name, g->mode, (long long)g->length, g->output,
                  (long long)g->first + i, (double)found[g->first + i], g->value[i]);
}

static bool parse(char *text, golden *g) {
    long long length, first;
    int at = 0;
    if (sscanf(text, "%39s %15s %lld %95s %lf %lld%n", g->name, g->mode, &length, g->output, &g->largest, &first,
               &at) != 6)
        return false;
    g->length = length;
    g->first = first;
    char *end = text + at;
    for (g->count = 0; g->count < MOST_VALUES; g->count++) {
        text = end;
        g->value[g->count] = strtod(text, &end);
        if (end == text) break;
    }
    return g->count > 0;
}

// Compares every line of that name.
static void check(const char *name) {
    subject s = {0};
    char text[400];
    int lines = 0;
    FILE *file = fopen(DATA "/values.txt", "r");
    cr_assert_not_null(file, "run from the project's folder");
    s.model = make_model(name);
    while (fgets(text, sizeof text, file)) {
        golden g;
        cr_assert(parse(text, &g), "%s", text);
        if (strcmp(g.name, name) != 0) continue;
        compare(&s, &g);
        lines++;
    }
    cr_expect_gt(lines, 0, "no line of %s", name);
    fclose(file);
    end_runs(&s);
    gw_model_free(s.model);
}

Test(parity, bigbird_pretraining) {
    check("bigbird_pretraining");
}
Test(parity, bigbird_fixed) {
    check("bigbird_fixed");
}
Test(parity, bigbird_masked) {
    check("bigbird_masked");
}
Test(parity, bigbird_sequence) {
    check("bigbird_sequence");
}
Test(parity, bigbird_token) {
    check("bigbird_token");
}
Test(parity, bigbird_question) {
    check("bigbird_question");
}
Test(parity, bigbird_choice) {
    check("bigbird_choice");
}
Test(parity, bert_pretraining) {
    check("bert_pretraining");
}
Test(parity, bert_sequence) {
    check("bert_sequence");
}
Test(parity, roberta_masked) {
    check("roberta_masked");
}
Test(parity, roberta_sequence) {
    check("roberta_sequence");
}
Test(parity, gena_pretraining) {
    check("gena_pretraining");
}
Test(parity, bigbird_pegasus) {
    check("bigbird_pegasus");
}

Test(parity, pegasus) {
    check("pegasus");
}

Test(parity, bigbird_shared) {
    check("bigbird_shared");
}
Test(parity, modernbert_masked) {
    check("modernbert_masked");
}
Test(parity, modernbert_sequence) {
    check("modernbert_sequence");
}
Test(parity, modernbert_token) {
    check("modernbert_token");
}
Test(parity, modernbert_question) {
    check("modernbert_question");
}
Test(parity, modernbert_choice) {
    check("modernbert_choice");
}
Test(parity, esm_masked) {
    check("esm_masked");
}
Test(parity, esm_untied) {
    check("esm_untied");
}
Test(parity, esm_sequence) {
    check("esm_sequence");
}
Test(parity, esm_token) {
    check("esm_token");
}
Test(parity, gpn_masked) {
    check("gpn_masked");
}
Test(parity, gpn_biases) {
    check("gpn_biases");
}
Test(parity, gpn_sequence) {
    check("gpn_sequence");
}
Test(parity, gpn_token) {
    check("gpn_token");
}
Test(parity, convnet_masked) {
    check("convnet_masked");
}
Test(parity, convnet_sequence) {
    check("convnet_sequence");
}
