// SPDX-License-Identifier: MIT
// Tensor names and shapes of transformers' BigBirdForPreTraining and BigBirdForSequenceClassification.
// E width, I inner, V vocabulary, P positions, S segments, L labels. Linear weights are [out][in].
#include "model/names.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 16 }; // floats

typedef struct {
    gw_parameters *parameters;
    int64_t capacity;
    gw_status status;
} list_builder;

// columns 0: a vector.
static void add(list_builder *builder, const char *prefix, const char *name, int64_t rows, int64_t columns) {
    gw_parameters *parameters = builder->parameters;
    if (builder->status == GW_OK)
        builder->status =
            gw_reserve(&parameters->list, &builder->capacity, parameters->count + 1, sizeof *parameters->list);
    if (builder->status != GW_OK) return;
    gw_parameter *parameter = &parameters->list[parameters->count++];
    *parameter = (gw_parameter){.dimensions = columns > 0 ? 2 : 1,
                                .shape = {rows, columns},
                                .count = rows * (columns > 0 ? columns : 1),
                                .offset = parameters->floats,
                                .decay = columns > 0};
    snprintf(parameter->name, sizeof parameter->name, "%s%s", prefix, name);
    parameters->floats += (parameter->count + ALIGN - 1) / ALIGN * ALIGN;
}

static void add_linear(list_builder *builder, const char *prefix, const char *name, int64_t out, int64_t in) {
    char full[96];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    add(builder, full, ".weight", out, in);
    add(builder, full, ".bias", out, 0);
}

static void add_norm(list_builder *builder, const char *prefix, int64_t width) {
    add(builder, prefix, "LayerNorm.weight", width, 0);
    add(builder, prefix, "LayerNorm.bias", width, 0);
}

static void add_layer(list_builder *builder, const gw_config *config, int64_t layer) {
    const int64_t width = config->width;
    char at[48], output[80];
    snprintf(at, sizeof at, "bert.encoder.layer.%lld.", (long long)layer);
    add_linear(builder, at, "attention.self.query", width, width);
    add_linear(builder, at, "attention.self.key", width, width);
    add_linear(builder, at, "attention.self.value", width, width);
    add_linear(builder, at, "attention.output.dense", width, width);
    snprintf(output, sizeof output, "%sattention.output.", at);
    add_norm(builder, output, width);
    add_linear(builder, at, "intermediate.dense", config->inner, width);
    add_linear(builder, at, "output.dense", width, config->inner);
    snprintf(output, sizeof output, "%soutput.", at);
    add_norm(builder, output, width);
}

static void add_all(list_builder *builder, const gw_config *config) {
    const int64_t width = config->width;
    add(builder, "bert.embeddings.", "word_embeddings.weight", config->vocabulary, width);
    add(builder, "bert.embeddings.", "position_embeddings.weight", config->positions, width);
    add(builder, "bert.embeddings.", "token_type_embeddings.weight", config->segments, width);
    add_norm(builder, "bert.embeddings.", width);
    for (int64_t layer = 0; layer < config->layers; layer++) add_layer(builder, config, layer);
    add_linear(builder, "bert.", "pooler", width, width);
    if (config->labels > 0) {
        add_linear(builder, "classifier.", "dense", width, width);
        add_linear(builder, "classifier.", "out_proj", config->labels, width);
        return;
    }
    add_linear(builder, "cls.predictions.", "transform.dense", width, width);
    add_norm(builder, "cls.predictions.transform.", width);
    add(builder, "cls.predictions.", "bias", config->vocabulary, 0);
    add_linear(builder, "cls.", "seq_relationship", 2, width);
}

gw_status gw_parameters_make(const gw_config *config, gw_parameters *out) {
    *out = (gw_parameters){0};
    list_builder builder = {.parameters = out};
    add_all(&builder, config);
    if (builder.status != GW_OK) gw_parameters_free(out);
    return builder.status;
}

void gw_parameters_free(gw_parameters *parameters) {
    free(parameters->list);
    free(parameters->weight);
    *parameters = (gw_parameters){0};
}

const gw_parameter *gw_parameters_find(const gw_parameters *parameters, const char *name) {
    for (int i = 0; i < parameters->count; i++)
        if (strcmp(parameters->list[i].name, name) == 0) return &parameters->list[i];
    return NULL;
}

static const char *const twins[][2] = {
    {"bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight"},
    {"cls.predictions.bias", "cls.predictions.decoder.bias"},
};

const char *gw_parameter_twin(const char *name) {
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
        if (strcmp(twins[i][0], name) == 0) return twins[i][1];
    return NULL;
}

bool gw_parameter_ignored(const char *name) {
    return strcmp(name, "bert.embeddings.position_ids") == 0;
}
