// SPDX-License-Identifier: MIT
// Makes the small models, batches and networks that the model tests share.
#include "fixtures.h"

#include "base/memory.h"
#include "base/random.h"
#include "model/head.h"
#include "model/task.h"
#include "text/dna/vocabulary.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

gw_config fixture_config(int64_t labels, double dropout) {
    gw_config config;
    cr_assert_eq(gw_config_preset("tiny", &config), GW_OK);
    cr_assert_eq(gw_pattern_parse("itc+block:8", &config.pattern), GW_OK, "%s", gw_message());
    config.width = 16;
    config.layers = 2;
    config.heads = 2;
    config.feed_forward = 24;
    config.positions = 128;
    config.initializer_range = 0.3;
    config.dropout = config.classifier_dropout = dropout;
    if (labels == 0) return config;
    config.labels = labels;
    config.task = GW_TASK_PROFILES;
    config.positive_weight = 8;
    config.label_names = gw_alloc(labels, sizeof(char *));
    for (int64_t i = 0; i < labels; i++) config.label_names[i] = gw_strprintf("label %c", (int)('a' + i));
    return config;
}

gw_config fixture_family(gw_family family, gw_head head) {
    gw_config config = fixture_config(0, 0.1);
    config.family = family;
    config.head = head;
    config.layers = 1;
    config.vocabulary = FAMILY_VOCABULARY;
    config.positions = FAMILY_POSITIONS;
    if (family != GW_FAMILY_BIGBIRD) config.pattern = (gw_pattern){.block = 8, .full = true};
    config.pre_norm = config.last_norm = family == GW_FAMILY_GENA;
    if (gw_head_of(head)->labels) config.labels = FAMILY_LABELS;
    config.task = gw_task_usual(head);
    return config;
}

gw_model *fixture_model(int64_t labels, double dropout) {
    gw_config config = fixture_config(labels, dropout);
    gw_model *model = fixture_model_of(&config);
    gw_config_free(&config);
    return model;
}

gw_model *fixture_model_of(const gw_config *config) {
    gw_tokenizer *tokenizer;
    gw_model *model;
    cr_assert_eq(gw_tokenizer_letters(&tokenizer), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_new(config, tokenizer, 7, &model), GW_OK, "%s", gw_message());
    gw_random random = gw_random_at(7, GW_SITE_TEST, 0, 0);
    for (int i = 0; i < model->parameters.count; i++) {
        const gw_parameter *parameter = &model->parameters.list[i];
        float *weight = model->parameters.weight + parameter->offset;
        for (int64_t j = 0; !parameter->decay && !parameter->fixed && j < parameter->count; j++)
            weight[j] += 0.2f * gw_random_normal(&random);
    }
    return model;
}

static int64_t starts[FIXTURE_SEQUENCES + 1] = {0, 100, 107, FIXTURE_TOKENS};
static int32_t masked_rows[FIXTURE_MASKED] = {3, 8, 50, 97, 102, 104, 110, 150, 199};
static int32_t masked_labels[FIXTURE_MASKED] = {5, 6, 7, 8, 9, 5, -1, 6, 7};
static int32_t nsp_labels[FIXTURE_SEQUENCES] = {0, 1, -1};
static int32_t tokens[FIXTURE_TOKENS], segments[FIXTURE_TOKENS];
static float labels_of[FIXTURE_SEQUENCES * FIXTURE_LABELS] = {0, 1, 1, 0, NAN, 1, 0, 0, 1, 0, 0, NAN};

gw_batch fixture_batch(void) {
    gw_random random = gw_random_at(7, GW_SITE_TEST, 1, 0);
    for (int s = 0; s < FIXTURE_SEQUENCES; s++)
        for (int64_t i = starts[s]; i < starts[s + 1]; i++) {
            tokens[i] = GW_SPECIAL_TOKENS + (int32_t)gw_random_below(&random, 5);
            segments[i] = 2 * (i - starts[s]) > starts[s + 1] - starts[s];
        }
    for (int s = 0; s < FIXTURE_SEQUENCES; s++)
        tokens[starts[s]] = GW_TOKEN_CLS, tokens[starts[s] + (starts[s + 1] - starts[s]) / 3 + 1] = GW_TOKEN_SEP,
        tokens[starts[s + 1] - 1] = GW_TOKEN_SEP;
    for (int i = 0; i < FIXTURE_MASKED; i++) tokens[masked_rows[i]] = GW_TOKEN_MASK;
    return (gw_batch){.of = {[GW_ROWS_TOKENS] = {.sequences = FIXTURE_SEQUENCES,
                                                 .start = starts,
                                                 .token = tokens,
                                                 .segment = segments},
                             [GW_ROWS_MASKED] = {.count = FIXTURE_MASKED, .row = masked_rows, .label = masked_labels},
                             [GW_ROWS_FIRST] = {.label = nsp_labels, .number = labels_of}},
                      .step = 5};
}

gw_batch fixture_part(int first, int last, int64_t start[FIXTURE_SEQUENCES + 1], int32_t rows[FIXTURE_MASKED]) {
    gw_batch part = fixture_batch();
    int skipped = 0;
    part.of[GW_ROWS_MASKED].count = 0;
    for (int i = 0; i < FIXTURE_MASKED; i++) {
        skipped += masked_rows[i] < starts[first];
        if (masked_rows[i] >= starts[first] && masked_rows[i] < starts[last])
            rows[part.of[GW_ROWS_MASKED].count++] = masked_rows[i] - (int32_t)starts[first];
    }
    part.of[GW_ROWS_TOKENS].sequences = last - first;
    for (int s = first; s <= last; s++) start[s - first] = starts[s] - starts[first];
    part.of[GW_ROWS_TOKENS].start = start;
    part.of[GW_ROWS_TOKENS].token += starts[first];
    part.of[GW_ROWS_TOKENS].segment += starts[first];
    part.of[GW_ROWS_MASKED].row = rows;
    part.of[GW_ROWS_MASKED].label += skipped;
    part.of[GW_ROWS_FIRST].label += first;
    part.of[GW_ROWS_FIRST].number += (ptrdiff_t)first * FIXTURE_LABELS;
    part.of[GW_ROWS_TOKENS].first = starts[first];
    return part;
}

gw_network *fixture_network_of(gw_model *model, gw_network_options more) {
    const gw_head_row *head = gw_head_of(model->config.head);
    if (more.tokens == 0) more.tokens = FIXTURE_TOKENS;
    more.sequences = FIXTURE_SEQUENCES;
    more.masked = head->masked ? FIXTURE_MASKED : 0;
    more.nsp_head = head->pairs;
    more.seed = 11;
    gw_network *network;
    cr_assert_eq(gw_network_new(model, &more, &network), GW_OK, "%s", gw_message());
    return network;
}

gw_network *fixture_network(gw_model *model, bool training) {
    return fixture_network_of(model, (gw_network_options){.training = training});
}
