// SPDX-License-Identifier: MIT
// Decoders against the reference's block in double precision: logits, the loss of smoothed labels, and its gradients by
// central differences. What the encoder makes of the source is given to both; tensors that the encoder has too are
// moved in the decoder alone, and so are left to tests/model/test_parity.c.
#include "gradient_check.h"
#include "model/family.h"
#include "reference/ref.h"
#include "reference_parts.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE = 30, TARGET = 9, VOCABULARY = 40, MOST_WIDTH = 64 };
static const double smoothing = 0.1, scale = 0.5;

typedef struct {
    gw_model *model;
    const double *weight;
    const double *memory;
    const gw_batch *batch;
} subject;

static const double *of(const subject *s, gw_role role, int layer, bool bias) {
    const gw_parameter *p = gw_model_role(s->model, role, layer, bias);
    return p ? s->weight + p->offset : NULL;
}

static bool shares(const subject *s) {
    return s->model->config.family == GW_FAMILY_BIGBIRD_SHARED;
}

static ref_decoder_attention attention_of(const subject *s, gw_role query, gw_role norm, int layer) {
    ref_decoder_attention a = {.norm = of(s, norm, layer, false), .norm_bias = of(s, norm, layer, true)};
    for (int part = 0; part < 4; part++) {
        const gw_role role = part < 3 ? query + part : norm - 1; // the output stands before the norm
        a.weight[part] = of(s, role, layer, false);
        a.bias[part] = of(s, role, layer, true);
    }
    return a;
}

static ref_decoder_weights weights_of(const subject *s, int layer) {
    const gw_role own = shares(s) ? GW_ROLE_QUERY : GW_ROLE_OWN_QUERY,
                  inner = shares(s) ? GW_ROLE_FEED_FORWARD : GW_ROLE_DECODER_FEED_FORWARD,
                  outer = shares(s) ? GW_ROLE_OUTPUT : GW_ROLE_DECODER_OUTPUT,
                  norm = shares(s) ? GW_ROLE_OUTPUT_NORM : GW_ROLE_DECODER_OUTPUT_NORM;
    return (ref_decoder_weights){
        .own = attention_of(s, own, shares(s) ? GW_ROLE_ATTENTION_NORM : GW_ROLE_OWN_NORM, layer),
        .cross = attention_of(s, GW_ROLE_CROSS_QUERY, GW_ROLE_CROSS_NORM, layer),
        .inner = of(s, inner, layer, false),
        .inner_bias = of(s, inner, layer, true),
        .outer = of(s, outer, layer, false),
        .outer_bias = of(s, outer, layer, true),
        .norm = of(s, norm, layer, false),
        .norm_bias = of(s, norm, layer, true),
    };
}

static void normalise(const subject *s, gw_role role, double *x) {
    double mean[TARGET], deviation[TARGET];
    ref_layer_norm(TARGET, s->model->config.width, s->model->config.epsilon, x, of(s, role, 0, false),
                   of(s, role, 0, true), x, mean, deviation);
}

static void embed(const subject *s, double *x) {
    const gw_config *config = &s->model->config;
    int32_t position[TARGET], segment[TARGET] = {0};
    for (int i = 0; i < TARGET; i++) position[i] = i;
    double *none = reference_make(config->width); // of a segment
    const double *segments = of(s, GW_ROLE_SEGMENT, 0, false);
    ref_embedding(TARGET, config->width, s->batch->of[GW_ROWS_TARGET].token, position, segment,
                  config->rescale ? sqrt((double)config->width) : 1, NULL, of(s, GW_ROLE_TOKEN_EMBEDDING, 0, false),
                  of(s, shares(s) ? GW_ROLE_POSITION : GW_ROLE_DECODER_POSITION, 0, false), segments ? segments : none,
                  x);
    if (segments) normalise(s, GW_ROLE_EMBEDDING_NORM, x);
    free(none);
}

// The head of the shared family: as for masked tokens.
static void transform(const subject *s, double *x) {
    double y[TARGET * MOST_WIDTH];
    const int64_t width = s->model->config.width;
    ref_gemm(false, true, false, TARGET, width, width, x, of(s, GW_ROLE_MASK_TRANSFORM, 0, false),
             of(s, GW_ROLE_MASK_TRANSFORM, 0, true), y);
    ref_gelu(TARGET * width, y, x);
    normalise(s, GW_ROLE_MASK_NORM, x);
}

static double loss_of(const subject *s, double *logits) {
    const gw_config *config = &s->model->config;
    const ref_decoder_shape shape = {.targets = TARGET,
                                     .sources = SOURCE,
                                     .width = config->width,
                                     .wide = config->decoder_feed_forward,
                                     .heads = (int)config->decoder_heads,
                                     .norm_before = config->pre_norm,
                                     .activation = config->activation == GW_ACTIVATION_RELU   ? 'r'
                                                   : config->activation == GW_ACTIVATION_GELU ? 't'
                                                                                              : 'e',
                                     .epsilon = config->epsilon};
    double x[TARGET * MOST_WIDTH], loss[TARGET], gradient[TARGET * VOCABULARY], sum = 0;
    int32_t best[TARGET];
    embed(s, x);
    for (int layer = 0; layer < config->decoder_layers; layer++) {
        const ref_decoder_weights w = weights_of(s, layer);
        ref_decoder_block(&shape, &w, s->memory, x);
    }
    if (config->last_norm) normalise(s, GW_ROLE_DECODER_LAST_NORM, x);
    if (shares(s)) transform(s, x);
    ref_gemm(false, true, false, TARGET, VOCABULARY, config->width, x, of(s, GW_ROLE_TOKEN_EMBEDDING, 0, false),
             of(s, shares(s) ? GW_ROLE_MASK_DECODER : GW_ROLE_TARGET_LOGITS, 0, true), logits);
    ref_cross_entropy(TARGET, VOCABULARY, logits, s->batch->of[GW_ROWS_TARGET].label, smoothing, 1, loss, best,
                      gradient);
    for (int i = 0; i < TARGET; i++) sum += loss[i];
    return scale * sum;
}

// Of the decoder alone, and trained.
static bool of_decoder(const gw_parameter *p) {
    return p->role != GW_ROLE_TARGET_LOGITS && !p->fixed && !p->of_encoder &&
           !(p->role == GW_ROLE_CROSS_KEY && p->bias) && !(p->role == GW_ROLE_OWN_KEY && p->bias);
}

static double slope(const subject *s, const gw_parameter *p, const double *direction) {
    const double step = s->model->config.activation == GW_ACTIVATION_RELU ? 1e-7 : 1e-4;
    double side[2], logits[TARGET * VOCABULARY];
    for (int k = 0; k < 2; k++) {
        subject moved = *s;
        double *weight = check_double_weights(s->model);
        for (int64_t i = 0; i < p->count; i++) weight[p->offset + i] += (k == 0 ? step : -step) * direction[i];
        moved.weight = weight;
        side[k] = loss_of(&moved, logits);
        free(weight);
    }
    return (side[0] - side[1]) / (2 * step);
}

static void check_gradient(const subject *s, const gw_parameter *p, const float *gradient, double floor) {
    double *direction = reference_make(p->count), expected = 0;
    for (int64_t i = 0; i < p->count; i++) {
        direction[i] = cos(0.7 * (double)i + 0.3);
        expected += direction[i] * (double)gradient[i];
    }
    const double found = slope(s, p, direction);
    cr_expect(fabs(found - expected) <= 2e-5 * check_norm(gradient, p->count) + floor,
              "%s: slope %.9g, gradient gives %.9g", p->name, found, expected);
    free(direction);
}

static void check_family(const char *name) {
    char path[80];
    gw_config config;
    subject s = {0};
    gw_network *network;
    gw_losses losses;
    int64_t source_start[] = {0, SOURCE}, target_start[] = {0, TARGET};
    int32_t source[SOURCE], target[TARGET], label[TARGET];
    for (int i = 0; i < SOURCE; i++) source[i] = 5 + i * 7 % 35;
    for (int i = 0; i < TARGET; i++) target[i] = i == 0 ? 2 : 5 + i * 11 % 35;
    for (int i = 0; i < TARGET; i++) label[i] = i == 4 ? -1 : 5 + (i + 1) * 11 % 35;
    const gw_batch batch = {
        .of = {[GW_ROWS_TOKENS] = {.sequences = 1, .start = source_start, .token = source},
               [GW_ROWS_TARGET] = {.sequences = 1, .start = target_start, .token = target, .label = label}}};
    snprintf(path, sizeof path, "tests/data/parity/%s.json", name);
    cr_assert_eq(gw_config_load(path, &config), GW_OK, "%s", gw_message());
    config.initializer_range = 0.3;
    cr_assert_eq(gw_model_new(&config, NULL, 3, &s.model), GW_OK, "%s", gw_message());
    gw_config_free(&config);
    const gw_network_options options = {
        .tokens = SOURCE, .sequences = 1, .targets = TARGET, .training = true, .smoothing = smoothing};
    cr_assert_eq(gw_network_new(s.model, &options, &network), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_network_forward(network, &batch, &losses), GW_OK, "%s", gw_message());
    double *memory = reference_make(SOURCE * s.model->config.width), *weight = check_double_weights(s.model);
    for (int64_t i = 0; i < SOURCE * s.model->config.width; i++) memory[i] = (double)gw_network_hidden(network)[i];
    s.memory = memory;
    s.weight = weight;
    s.batch = &batch;
    double logits[TARGET * VOCABULARY], largest = 0;
    const double expected = loss_of(&s, logits);
    cr_expect_float_eq(scale * losses.of[GW_ROWS_TARGET].loss, expected, 1e-5 * expected,
                       "%s: loss %.9g, expected %.9g", name, scale * losses.of[GW_ROWS_TARGET].loss, expected);
    for (int i = 0; i < TARGET * VOCABULARY; i++) largest = fmax(largest, fabs(logits[i]));
    for (int i = 0; i < TARGET * VOCABULARY; i++)
        cr_expect_float_eq((double)gw_network_output(network, GW_ROWS_TARGET)[i], logits[i], 2e-5 * largest,
                           "%s: logit %d", name, i);
    const float scales[GW_BATCH_ROWS] = {[GW_ROWS_TARGET] = (float)scale};
    check_finals(network, scales);
    const float *gradient = gw_network_gradient(network);
    const double floor = 5e-7 * check_norm(gradient, s.model->parameters.floats);
    int checked = 0;
    for (int i = 0; i < s.model->parameters.count; i++) {
        const gw_parameter *p = &s.model->parameters.list[i];
        if (!of_decoder(p)) continue;
        check_gradient(&s, p, gradient + p->offset, floor);
        checked++;
    }
    cr_expect(checked > 10);
    gw_network_free(network);
    gw_model_free(s.model);
    free(memory);
    free(weight);
}

Test(decoder, bigbird_pegasus) {
    check_family("bigbird_pegasus");
}

Test(decoder, pegasus) {
    check_family("pegasus");
}

Test(decoder, bigbird_shared) {
    check_family("bigbird_shared");
}
