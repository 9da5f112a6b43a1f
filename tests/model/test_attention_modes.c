// SPDX-License-Identifier: MIT
// Networks under every attention mode and padded length, against the dense reference in double.
#include "base/random.h"
#include "fixtures.h"
#include "reference_model.h"
#include "text/dna/vocabulary.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 16, LONGEST = 600 };
static const reference_scales scales = {1, 0};

// One sequence or several of `lengths` (ends with 0), a quarter of their tokens to predict.
typedef struct {
    int64_t start[4];
    int32_t token[LONGEST], segment[LONGEST], row[LONGEST], label[LONGEST], pair[3];
    gw_batch batch;
} sample;

static void make_sample(sample *s, const int64_t *lengths, int64_t pad_to) {
    gw_random random = gw_random_at(9, GW_SITE_TEST, 0, 0);
    *s = (sample){0};
    gw_rows *stream = &s->batch.of[GW_ROWS_TOKENS], *masked = &s->batch.of[GW_ROWS_MASKED];
    for (int i = 0; lengths[i] > 0; i++) s->start[++stream->sequences] = s->start[i] + lengths[i];
    for (int64_t i = 0; i < s->start[stream->sequences]; i++) {
        s->token[i] = GW_SPECIAL_TOKENS + (int32_t)gw_random_below(&random, 5);
        if (i % 4 != 1) continue;
        s->row[masked->count] = (int32_t)i;
        s->label[masked->count++] = GW_SPECIAL_TOKENS + (int32_t)gw_random_below(&random, 5);
    }
    for (int i = 0; i < 3; i++) s->pair[i] = -1;
    stream->start = s->start;
    stream->token = s->token;
    stream->segment = s->segment;
    stream->pad_to = pad_to;
    masked->row = s->row;
    masked->label = s->label;
    s->batch.of[GW_ROWS_FIRST].label = s->pair;
}

static gw_model *make_model(const char *pattern, int64_t positions) {
    gw_config config = fixture_config(0, 0);
    gw_tokenizer *tokenizer;
    gw_model *model;
    cr_assert_eq(gw_pattern_parse(pattern, &config.pattern), GW_OK, "%s", gw_message());
    config.positions = positions;
    cr_assert_eq(gw_tokenizer_letters(&tokenizer), GW_OK);
    cr_assert_eq(gw_model_new(&config, tokenizer, 7, &model), GW_OK, "%s", gw_message());
    gw_config_free(&config);
    return model;
}

static gw_network *make_network(gw_model *model, bool training) {
    const gw_network_options options = {.tokens = LONGEST, .sequences = 3, .masked = LONGEST, .training = training};
    gw_network *network;
    cr_assert_eq(gw_network_new(model, &options, &network), GW_OK, "%s", gw_message());
    return network;
}

// The reference's loss at weight + t * direction.
static double loss_at(const gw_model *model, const gw_batch *batch, const double *direction, double t, double *hidden) {
    double *weight = malloc((size_t)model->parameters.floats * sizeof *weight);
    for (int64_t i = 0; i < model->parameters.floats; i++)
        weight[i] = (double)model->parameters.weight[i] + (direction ? t * direction[i] : 0);
    const double loss = reference_loss(model, weight, batch, 0, scales, &(reference_outputs){.hidden = hidden});
    free(weight);
    return loss;
}

// A random direction over all parameters: the gradient's slope along it is the reference's, by central differences.
static void check_slope(const gw_model *model, gw_network *network, const gw_batch *batch, const char *what) {
    gw_random random = gw_random_at(9, GW_SITE_TEST, 1, 0);
    double *direction = calloc((size_t)model->parameters.floats, sizeof *direction), found = 0, size = 0;
    cr_assert_eq(gw_network_backward(network, (float[GW_BATCH_ROWS]){[GW_ROWS_MASKED] = 1}), GW_OK, "%s", gw_message());
    for (int64_t i = 0; i < model->parameters.floats; i++) {
        const double gradient = (double)gw_network_gradient(network)[i];
        direction[i] = (double)gw_random_normal(&random);
        found += gradient * direction[i];
        size += gradient * gradient;
    }
    const double step = 1e-5;
    const double wanted =
        (loss_at(model, batch, direction, step, NULL) - loss_at(model, batch, direction, -step, NULL)) / (2 * step);
    cr_expect(fabs(found - wanted) <= 2e-5 * sqrt(size), "%s: slope %.9g, gradient gives %.9g of %g", what, wanted,
              found, sqrt(size));
    free(direction);
}

// Frees the model.
static void check_model(gw_model *model, const char *pattern, const int64_t *lengths, int64_t pad_to) {
    static sample s;
    static double hidden[LONGEST * WIDTH];
    make_sample(&s, lengths, pad_to);
    gw_network *network = make_network(model, true);
    gw_losses losses;
    cr_assert_eq(gw_network_forward(network, &s.batch, &losses), GW_OK, "%s", gw_message());
    const double loss = loss_at(model, &s.batch, NULL, 0, hidden);
    double worst = 0;
    for (int64_t i = 0; i < s.start[s.batch.of[GW_ROWS_TOKENS].sequences] * WIDTH; i++)
        worst = fmax(worst, fabs((double)gw_network_hidden(network)[i] - hidden[i]));
    cr_expect(worst < 5e-6, "%s padded to %lld: hidden states differ by %g", pattern, (long long)pad_to, worst);
    cr_expect(fabs(losses.of[GW_ROWS_MASKED].loss - loss) <= 1e-5 * loss, "%s: loss %.9g, reference %.9g", pattern,
              losses.of[GW_ROWS_MASKED].loss, loss);
    check_slope(model, network, &s.batch, pattern);
    gw_network_free(network);
    gw_model_free(model);
}

static void check(const char *pattern, int64_t positions, const int64_t *lengths, int64_t pad_to) {
    check_model(make_model(pattern, positions), pattern, lengths, pad_to);
}

static const int64_t three[] = {100, 7, 96, 0}, google[] = {600, 0}, short_google[] = {520, 60, 0};

Test(attention_modes, every_mode_is_the_reference) {
    check("itc/seeded+block:8", 128, three, 0);
    check("itc/hf-eval+block:8", 128, three, 0);
    check("itc/set+block:8", 128, three, 0);
    check("itc+global:2@start+block:8", 128, three, 0);
    check("itc/hf-eval+global:3@start+block:8", 128, three, 0);
    check("full+block:8", 128, three, 0);
    check("itc/google+random:2+block:100", 600, google, 0);
    check("itc/seeded+causal+block:8", 128, three, 0);
    check("full+causal+block:8", 128, three, 0);
    check("band:11+global:1+block:8", 128, three, 0);
    check("band:11+random:1+causal+block:8", 128, three, 0);
}

// Also of a length that no block divides, and of sequences that would be full on their own.
Test(attention_modes, padded_inputs_are_the_reference) {
    check("itc/seeded+block:8", 128, three, 128);
    check("itc/seeded+block:8", 128, three, 117);
    check("itc/hf-eval+block:8", 128, three, 117);
    check("itc/set+block:8", 128, three, 104);
    check("itc+global:2@start+block:8", 128, three, 117);
    check("full+block:8", 128, three, 128);
    check("window:3+global:2+random:1+block:8", 128, three, 120);
    check("band:11+global:2+causal+block:8", 128, three, 120);
    check("itc/google+random:1+block:100", 600, short_google, 600);
}

// A layout of its own for each layer and head, in which rows do not read what reads them.
static gw_model *make_layout_model(void) {
    enum { LAYERS = 2, HEADS = 2, BLOCKS = 16 };
    gw_model *model = make_model("longformer+block:8", 128);
    gw_layout *layout = calloc(1, sizeof *layout);
    *layout = (gw_layout){LAYERS, HEADS, BLOCKS, calloc(LAYERS * HEADS * BLOCKS, BLOCKS)};
    for (int i = 0; i < LAYERS * HEADS * BLOCKS * BLOCKS; i++)
        layout->cell[i] = i % BLOCKS == i / BLOCKS % BLOCKS || i * 7 % 11 < 2;
    model->layout = layout;
    return model;
}

Test(attention_modes, layouts_are_the_reference) {
    check_model(make_layout_model(), "a layout", three, 0);
    check_model(make_layout_model(), "a layout, padded", three, 120);
    gw_model *full = make_layout_model();
    cr_assert_eq(gw_pattern_use_mode(&full->config.pattern, "full"), GW_OK);
    check_model(full, "a layout that gives way to full attention", three, 0);
}

Test(attention_modes, what_outputs_say) {
    gw_model *model = make_layout_model();
    char *text = gw_model_attention(model);
    cr_expect_str_eq(text, "layout+block:8");
    free(text);
    cr_assert_eq(gw_pattern_use_mode(&model->config.pattern, "full"), GW_OK);
    text = gw_model_attention(model);
    cr_expect_str_eq(text, "full+block:8");
    free(text);
    gw_model_free(model);
    model = make_model("itc/set", 128);
    text = gw_model_attention(model);
    cr_expect_str_eq(text, "itc/set");
    free(text);
    gw_model_free(model);
}

static void run(gw_network *network, const int64_t *lengths, int64_t pad_to, float *hidden) {
    static sample s;
    make_sample(&s, lengths, pad_to);
    cr_assert_eq(gw_network_forward(network, &s.batch, NULL), GW_OK, "%s", gw_message());
    memcpy(hidden, gw_network_hidden(network),
           (size_t)(s.start[s.batch.of[GW_ROWS_TOKENS].sequences] * WIDTH) * sizeof *hidden);
}

// Padding to the length that fills the last block changes nothing; a longer one does, by blocks and not by tokens, and
// not where all inputs are full.
Test(attention_modes, what_padding_changes) {
    static float own[LONGEST * WIDTH], padded[LONGEST * WIDTH], more[LONGEST * WIDTH], again[LONGEST * WIDTH];
    const int64_t one[] = {100, 0};
    gw_model *model = make_model("itc+block:8", 128);
    gw_network *network = make_network(model, false);
    run(network, one, 0, own);
    run(network, one, 104, padded);
    run(network, one, 121, more);
    run(network, one, 128, again);
    cr_expect_arr_eq(padded, own, 100 * WIDTH * sizeof *own);
    cr_expect_arr_neq(more, own, 100 * WIDTH * sizeof *own);
    cr_expect_arr_eq(more, again, 100 * WIDTH * sizeof *own);
    gw_network_free(network);
    model->config.pattern.full = true;
    network = make_network(model, false);
    run(network, one, 0, own);
    run(network, one, 128, padded);
    cr_expect_arr_eq(padded, own, 100 * WIDTH * sizeof *own);
    gw_network_free(network);
    gw_model_free(model);
}

static void expect_refused(gw_network *network, int64_t pad_to, const char *text) {
    static sample s;
    make_sample(&s, three, pad_to);
    cr_assert_eq(gw_network_forward(network, &s.batch, NULL), GW_ERR_RANGE);
    cr_expect(strstr(gw_message(), text), "'%s' lacks '%s'", gw_message(), text);
}

Test(attention_modes, lengths_that_nothing_can_be_padded_to) {
    gw_model *model = make_model("itc+block:8", 128);
    gw_network *network = make_network(model, false);
    expect_refused(network, 99, "100 tokens cannot be padded to 99");
    expect_refused(network, 129, "128 positions");
    expect_refused(network, -1, "cannot be padded to -1");
    gw_network_free(network);
    gw_model_free(model);
}
