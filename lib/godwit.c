// SPDX-License-Identifier: MIT
// The public face of the library: one sequence at a time through the parts that the commands use.
#include "godwit.h"

#include "base/memory.h"
#include "model/network.h"
#include "score/label_predictor.h"
#include "score/token_batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRANDS = 2 };

struct gw_predictor {
    gw_model *model;
    gw_network *network;                     // of one sequence
    gw_label_predictor *predictors[STRANDS]; // one strand, both strands; made when first used
    gw_token_batch batch;
    int32_t *token; // [positions] a sequence of the caller's, with its masked token
};

static gw_status make_network(gw_predictor *reader) {
    const gw_config *config = &reader->model->config;
    const gw_network_options options = {
        .tokens = gw_config_longest(config), .sequences = 1, .masked = gw_config_predicts_masked(config) ? 1 : 0};
    GW_TRY(gw_token_batch_make(&reader->batch, reader->model->tokenizer, gw_config_longest(config), 1,
                               gw_config_longest(config)));
    reader->token = gw_alloc(gw_config_longest(config), sizeof *reader->token);
    if (!reader->token) return GW_ERR_MEMORY;
    return gw_network_new(reader->model, &options, &reader->network);
}

int gw_predictor_open(const char *folder, gw_predictor **out) {
    *out = NULL;
    gw_predictor *reader = gw_alloc(1, sizeof *reader);
    if (!reader) return GW_ERR_MEMORY;
    gw_status status = gw_model_load(folder, &reader->model);
    if (status == GW_OK) status = gw_model_freeze(reader->model, GW_F32);
    if (status == GW_OK) status = make_network(reader);
    if (status == GW_OK) *out = reader;
    else gw_predictor_close(reader);
    return (int)status;
}

void gw_predictor_close(gw_predictor *reader) {
    if (!reader) return;
    for (int i = 0; i < STRANDS; i++) gw_label_predictor_free(reader->predictors[i]);
    gw_network_free(reader->network);
    gw_token_batch_free(&reader->batch);
    gw_model_free(reader->model);
    free(reader->token);
    free(reader);
}

int64_t gw_predictor_vocabulary(const gw_predictor *reader) {
    return reader->model->config.vocabulary;
}

int64_t gw_predictor_width(const gw_predictor *reader) {
    return reader->model->config.width;
}

int64_t gw_predictor_positions(const gw_predictor *reader) {
    return gw_config_longest(&reader->model->config);
}

int64_t gw_predictor_labels(const gw_predictor *reader) {
    return reader->model->config.labels;
}

const char *gw_predictor_label(const gw_predictor *reader, int64_t label) {
    if (label < 0 || label >= reader->model->config.labels) return "";
    return reader->model->config.label_names[label];
}

const char *gw_predictor_token(const gw_predictor *reader, int32_t token) {
    // A vocabulary may have room for more tokens than the tokenizer knows.
    if (token < 0 || token >= gw_tokenizer_size(reader->model->tokenizer)) return "";
    return gw_tokenizer_text(reader->model->tokenizer, token);
}

int gw_predictor_tokenize(gw_predictor *reader, const char *bases, int64_t length, const int32_t **tokens,
                          int64_t *count) {
    const gw_rows *stream = &reader->batch.batch.of[GW_ROWS_TOKENS];
    bool full;
    gw_batch_clear(&reader->batch.batch);
    GW_TRY(gw_token_batch_add(&reader->batch, bases, length, &full));
    *tokens = stream->token;
    *count = stream->count;
    return GW_OK;
}

int gw_predictor_predict(gw_predictor *reader, const char *bases, int64_t length, int both_strands,
                         float *probabilities) {
    const gw_label_predictor_options options = {.tokens = gw_config_longest(&reader->model->config),
                                                .both_strands = both_strands != 0};
    gw_label_predictor **predictor = &reader->predictors[options.both_strands];
    if (!*predictor) GW_TRY(gw_label_predictor_new(reader->model, &options, predictor));
    return (int)gw_label_predictor_run(*predictor, &bases, &length, 1, probabilities, NULL);
}

// Runs a sequence with the token of that row masked; row -1: none.
static gw_status run(gw_predictor *reader, const int32_t *tokens, int64_t count, int32_t masked) {
    int64_t start[2] = {0, count};
    gw_batch batch = {0};
    batch.of[GW_ROWS_TOKENS] = (gw_rows){.sequences = 1, .start = start, .token = reader->token};
    if (masked >= 0) batch.of[GW_ROWS_MASKED] = (gw_rows){.count = 1, .row = &masked};
    if (count <= gw_predictor_positions(reader)) memcpy(reader->token, tokens, (size_t)count * sizeof *tokens);
    if (masked >= 0) GW_TRY(gw_tokenizer_need(reader->model->tokenizer, GW_SPECIAL_MASK, &reader->token[masked]));
    return gw_network_forward(reader->network, &batch, NULL); // refuses what is too long
}

int gw_predictor_predict_masked(gw_predictor *reader, const int32_t *tokens, int64_t count, int64_t position,
                                float *probabilities) {
    if (!gw_config_predicts_masked(&reader->model->config))
        return gw_fail(GW_ERR_UNSUPPORTED, "a model without a head for masked tokens does not guess them");
    if (count > gw_config_longest(&reader->model->config) || position < 0 || position >= count)
        return gw_fail(GW_ERR_RANGE, "token %lld of %lld is asked for; the model has %lld positions",
                       (long long)position, (long long)count, (long long)gw_config_longest(&reader->model->config));
    GW_TRY(run(reader, tokens, count, (int32_t)position));
    const float *logit = gw_network_mlm_logits(reader->network);
    if (!logit) return GW_ERR_IO;
    const int64_t classes = reader->model->config.vocabulary;
    double largest = (double)logit[0], sum = 0;
    for (int64_t v = 1; v < classes; v++) largest = fmax(largest, (double)logit[v]);
    for (int64_t v = 0; v < classes; v++) sum += exp((double)logit[v] - largest);
    for (int64_t v = 0; v < classes; v++) probabilities[v] = (float)(exp((double)logit[v] - largest) / sum);
    return isfinite(sum) ? GW_OK : gw_fail(GW_ERR_RANGE, "an output of the model is not a finite number");
}

int gw_predictor_embed(gw_predictor *reader, const int32_t *tokens, int64_t count, const float **hidden) {
    GW_TRY(run(reader, tokens, count, -1));
    *hidden = gw_network_hidden(reader->network);
    if (!*hidden) return GW_ERR_IO;
    return GW_OK;
}
