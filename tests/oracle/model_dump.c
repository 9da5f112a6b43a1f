// SPDX-License-Identifier: MIT
// For model_oracle.py: makes a random model folder, and writes what a network computes for given tokens.
//   model_dump new FOLDER LABELS          LABELS 0: a pretraining model
//   model_dump run FOLDER TOKENS OUT      TOKENS: int32 [n]; OUT: f32 hidden [n][E], then MLM logits [n][V] and pair
//                                         logits [2], or label logits; the second half of the tokens is segment 1
#include "base/memory.h"
#include "base/output.h"
#include "base/random.h"
#include "model/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gw_status new_model(const char *folder, int64_t labels) {
    gw_config config;
    gw_tokenizer *tokenizer;
    gw_model *model;
    GW_TRY(gw_config_preset("tiny", &config));
    config.width = 128;
    config.layers = 2;
    config.heads = 4;
    config.inner = 256;
    config.positions = 4096;
    config.initializer_range = 0.15;
    config.dropout = config.classifier_dropout = 0;
    config.labels = labels;
    if (labels > 0) config.task = GW_TASK_PROFILES;
    GW_TRY(gw_tokenizer_letters(&tokenizer));
    GW_TRY(gw_model_new(&config, tokenizer, 1, &model));
    gw_random random = gw_random_at(1, GW_SITE_TEST, 0, 0);
    for (int64_t i = 0; i < model->parameters.count; i++) {
        const gw_parameter *parameter = &model->parameters.list[i];
        for (int64_t j = 0; !parameter->decay && j < parameter->count; j++)
            model->parameters.weight[parameter->offset + j] += 0.1f * gw_random_normal(&random);
    }
    const gw_status status = gw_model_save(model, folder);
    gw_model_free(model);
    return status;
}

// Every token is one to predict, so that the logits of all are there.
static gw_status run_network(gw_model *model, const int32_t *token, int64_t count, gw_output *out) {
    const gw_config *config = &model->config;
    const bool classifier = config->labels > 0;
    const gw_network_options options = {
        .tokens = count, .sequences = 1, .masked = classifier ? 0 : count, .pair_head = !classifier};
    int32_t *row = gw_alloc(count, sizeof *row), *segment = gw_alloc(count, sizeof *segment);
    const int64_t start[2] = {0, count};
    gw_network *network = NULL;
    gw_status status = row && segment ? gw_network_new(model, &options, &network) : GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < count; i++) row[i] = (int32_t)i, segment[i] = 2 * i >= count;
    const gw_batch batch = {.sequences = 1,
                            .start = start,
                            .token = token,
                            .segment = segment,
                            .masked = options.masked,
                            .masked_row = row};
    if (status == GW_OK) status = gw_network_forward(network, &batch, NULL);
    if (status == GW_OK) status = gw_output_write(out, gw_network_hidden(network), count * config->width * 4);
    if (status == GW_OK && classifier)
        status = gw_output_write(out, gw_network_label_logits(network), config->labels * 4);
    if (status == GW_OK && !classifier)
        status = gw_output_write(out, gw_network_mlm_logits(network), count * config->vocabulary * 4);
    if (status == GW_OK && !classifier) status = gw_output_write(out, gw_network_pair_logits(network), 8);
    gw_network_free(network);
    free(row);
    free(segment);
    return status;
}

static gw_status run_model(const char *folder, const char *tokens_path, const char *out_path) {
    gw_model *model;
    char *bytes;
    int64_t count;
    gw_output out;
    GW_TRY(gw_model_load(folder, &model));
    GW_TRY(gw_read_file(tokens_path, &bytes, &count));
    GW_TRY(gw_output_open(&out, out_path));
    gw_status status = run_network(model, (const int32_t *)(const void *)bytes, count / 4, &out);
    if (status == GW_OK) status = gw_output_close(&out);
    else gw_output_abandon(&out);
    free(bytes);
    gw_model_free(model);
    return status;
}

int main(int argc, char **argv) {
    gw_status status = GW_ERR_RANGE;
    if (argc == 4 && strcmp(argv[1], "new") == 0) status = new_model(argv[2], atoi(argv[3]));
    if (argc == 5 && strcmp(argv[1], "run") == 0) status = run_model(argv[2], argv[3], argv[4]);
    if (status != GW_OK) fprintf(stderr, "model_dump: %s\n", gw_message());
    return status == GW_OK ? 0 : 1;
}
