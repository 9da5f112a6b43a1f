// SPDX-License-Identifier: MIT
// Tensor names and shapes of transformers' BigBird, BERT and RoBERTa and of GENA-LM's BERT, with every head.
// E width, I feed-forward, V vocabulary, P positions, S segments, L labels. Linear weights are [out][in].
//
// BERT's names are the rule; what another family calls otherwise its row says.
#include "model/names.h"

#include "base/memory.h"
#include "model/family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 16 }; // floats

static const char *const stems[GW_ROLES] = {
    [GW_ROLE_TOKEN_EMBEDDING] = "embeddings.word_embeddings",
    [GW_ROLE_POSITION] = "embeddings.position_embeddings",
    [GW_ROLE_SEGMENT] = "embeddings.token_type_embeddings",
    [GW_ROLE_EMBEDDING_NORM] = "embeddings.LayerNorm",
    [GW_ROLE_QUERY] = "attention.self.query",
    [GW_ROLE_KEY] = "attention.self.key",
    [GW_ROLE_VALUE] = "attention.self.value",
    [GW_ROLE_ATTENTION_OUTPUT] = "attention.output.dense",
    [GW_ROLE_ATTENTION_NORM] = "attention.output.LayerNorm",
    [GW_ROLE_FEED_FORWARD] = "intermediate.dense",
    [GW_ROLE_OUTPUT] = "output.dense",
    [GW_ROLE_OUTPUT_NORM] = "output.LayerNorm",
    [GW_ROLE_LAST_NORM] = "encoder.last_layer_ln",
    [GW_ROLE_POOLER] = "pooler.dense",
    [GW_ROLE_MASK_TRANSFORM] = "cls.predictions.transform.dense",
    [GW_ROLE_MASK_NORM] = "cls.predictions.transform.LayerNorm",
    [GW_ROLE_MASK_DECODER] = "cls.predictions",
    [GW_ROLE_PAIR] = "cls.seq_relationship",
    [GW_ROLE_HEAD_DENSE] = "classifier.dense",
    [GW_ROLE_SPAN_FEED_FORWARD] = "qa_classifier.intermediate.dense",
    [GW_ROLE_SPAN_OUTPUT] = "qa_classifier.output.dense",
    [GW_ROLE_SPAN_NORM] = "qa_classifier.output.LayerNorm",
    [GW_ROLE_LOGITS] = "classifier",
};

static const char *own_stem(const gw_tensor_stem *own, const gw_config *config, gw_role role) {
    for (; own && own->stem; own++)
        if (own->role == role && (own->head < 0 || own->head == (int)config->head)) return own->stem;
    return NULL;
}

const char *gw_role_stem(const gw_config *config, gw_role role) {
    const gw_family_row *family = gw_family_of(config->family);
    const char *before = config->pre_norm ? own_stem(family->pre_norm_stems, config, role) : NULL;
    const char *own = before ? before : own_stem(family->stems, config, role);
    if (own) return own;
    return role == GW_ROLE_LOGITS && config->head == GW_HEAD_SPAN ? "qa_outputs" : stems[role];
}

bool gw_role_is_norm(gw_role role) {
    return role == GW_ROLE_EMBEDDING_NORM || role == GW_ROLE_ATTENTION_NORM || role == GW_ROLE_OUTPUT_NORM ||
           role == GW_ROLE_LAST_NORM || role == GW_ROLE_MASK_NORM || role == GW_ROLE_SPAN_NORM;
}

bool gw_role_is_encoder(gw_role role) {
    return role <= GW_ROLE_POOLER;
}

static bool is_layer_role(gw_role role) {
    return role >= GW_ROLE_QUERY && role <= GW_ROLE_OUTPUT_NORM;
}

static void name_parameter(const gw_config *config, gw_parameter *parameter) {
    const char *prefix = gw_role_is_encoder(parameter->role) && config->head != GW_HEAD_NONE
                             ? gw_family_of(config->family)->encoder
                             : "";
    char layer[40] = "";
    if (is_layer_role(parameter->role)) snprintf(layer, sizeof layer, "encoder.layer.%d.", parameter->layer);
    snprintf(parameter->name, sizeof parameter->name, "%s%s%s.%s", prefix, layer, gw_role_stem(config, parameter->role),
             parameter->bias ? "bias" : "weight");
}

typedef struct {
    const gw_config *config;
    gw_parameters *parameters;
    int64_t capacity;
    int layer; // that is being listed
    gw_status status;
} list_builder;

// columns 0: a vector.
static void add(list_builder *builder, gw_role role, bool bias, int64_t rows, int64_t columns) {
    gw_parameters *parameters = builder->parameters;
    if (builder->status == GW_OK)
        builder->status =
            gw_reserve(&parameters->list, &builder->capacity, parameters->count + 1, sizeof *parameters->list);
    if (builder->status != GW_OK) return;
    gw_parameter *parameter = &parameters->list[parameters->count++];
    *parameter = (gw_parameter){.role = role,
                                .layer = builder->layer,
                                .bias = bias,
                                .dimensions = columns > 0 ? 2 : 1,
                                .shape = {rows, columns},
                                .count = rows * (columns > 0 ? columns : 1),
                                .decay = columns > 0};
    name_parameter(builder->config, parameter);
}

static void add_linear(list_builder *builder, gw_role role, int64_t out, int64_t in, bool bias) {
    add(builder, role, false, out, in);
    if (bias) add(builder, role, true, out, 0);
}

static void add_norm(list_builder *builder, gw_role role) {
    add(builder, role, false, builder->config->width, 0);
    add(builder, role, true, builder->config->width, 0);
}

static void add_layer(list_builder *builder) {
    const gw_config *config = builder->config;
    const int64_t width = config->width;
    if (config->pre_norm) add_norm(builder, GW_ROLE_ATTENTION_NORM);
    add_linear(builder, GW_ROLE_QUERY, width, width, config->bias);
    add_linear(builder, GW_ROLE_KEY, width, width, config->bias);
    add_linear(builder, GW_ROLE_VALUE, width, width, config->bias);
    add_linear(builder, GW_ROLE_ATTENTION_OUTPUT, width, width, true);
    add_norm(builder, config->pre_norm ? GW_ROLE_OUTPUT_NORM : GW_ROLE_ATTENTION_NORM);
    add_linear(builder, GW_ROLE_FEED_FORWARD, config->feed_forward, width, true);
    add_linear(builder, GW_ROLE_OUTPUT, width, config->feed_forward, true);
    if (!config->pre_norm) add_norm(builder, GW_ROLE_OUTPUT_NORM);
}

bool gw_head_reads_pooler(const gw_config *config) {
    return config->head == GW_HEAD_PRETRAINING || config->head == GW_HEAD_MULTIPLE_CHOICE ||
           (config->head == GW_HEAD_SEQUENCE && !gw_family_of(config->family)->dense_labels);
}

// The encoder alone has a pooler, and so have all heads of BigBird but question answering, whether they read it or not.
static bool has_pooler(const gw_config *config) {
    const bool always = gw_family_of(config->family)->always_pools && config->head != GW_HEAD_SPAN;
    return config->head == GW_HEAD_NONE || always || gw_head_reads_pooler(config);
}

static void add_encoder(list_builder *builder) {
    const gw_config *config = builder->config;
    const int64_t width = config->width;
    add(builder, GW_ROLE_TOKEN_EMBEDDING, false, config->vocabulary, width);
    if (config->rotary == 0) add(builder, GW_ROLE_POSITION, false, config->positions, width);
    add(builder, GW_ROLE_SEGMENT, false, config->segments, width);
    add_norm(builder, GW_ROLE_EMBEDDING_NORM);
    for (; builder->layer < config->layers; builder->layer++) add_layer(builder);
    builder->layer = 0;
    if (config->last_norm) add_norm(builder, GW_ROLE_LAST_NORM);
    if (has_pooler(config)) add_linear(builder, GW_ROLE_POOLER, width, width, true);
}

static void add_head(list_builder *builder) {
    const gw_config *config = builder->config;
    const int64_t width = config->width;
    const gw_family_row *family = gw_family_of(config->family);
    switch (config->head) {
    case GW_HEAD_NONE: break;
    case GW_HEAD_PRETRAINING:
    case GW_HEAD_MASKED:
        add_linear(builder, GW_ROLE_MASK_TRANSFORM, width, width, true);
        add_norm(builder, GW_ROLE_MASK_NORM);
        add(builder, GW_ROLE_MASK_DECODER, true, config->vocabulary, 0);
        if (config->head == GW_HEAD_PRETRAINING) add_linear(builder, GW_ROLE_PAIR, 2, width, true);
        break;
    case GW_HEAD_SEQUENCE:
        if (family->dense_labels) add_linear(builder, GW_ROLE_HEAD_DENSE, width, width, true);
        add_linear(builder, GW_ROLE_LOGITS, config->labels, width, true);
        break;
    case GW_HEAD_TOKEN: add_linear(builder, GW_ROLE_LOGITS, config->labels, width, true); break;
    case GW_HEAD_SPAN:
        if (family->splits_questions) {
            add_linear(builder, GW_ROLE_SPAN_FEED_FORWARD, config->feed_forward, width, true);
            add_linear(builder, GW_ROLE_SPAN_OUTPUT, width, config->feed_forward, true);
            add_norm(builder, GW_ROLE_SPAN_NORM);
        }
        add_linear(builder, GW_ROLE_LOGITS, 2, width, true);
        break;
    case GW_HEAD_MULTIPLE_CHOICE: add_linear(builder, GW_ROLE_LOGITS, 1, width, true); break;
    }
}

void gw_parameters_set_offsets(gw_parameters *parameters) {
    parameters->floats = 0;
    for (int i = 0; i < parameters->count; i++) {
        parameters->list[i].offset = parameters->floats;
        parameters->floats += (parameters->list[i].count + ALIGN - 1) / ALIGN * ALIGN;
    }
}

gw_status gw_parameters_make(const gw_config *config, gw_parameters *out) {
    *out = (gw_parameters){0};
    list_builder builder = {.config = config, .parameters = out};
    add_encoder(&builder);
    add_head(&builder);
    gw_parameters_set_offsets(out);
    if (builder.status != GW_OK) gw_parameters_free(out);
    return builder.status;
}

void gw_parameters_free(gw_parameters *parameters) {
    gw_mirror_free(&parameters->mirror);
    free(parameters->list);
    free(parameters->weight);
    *parameters = (gw_parameters){0};
}

const gw_parameter *gw_parameters_find(const gw_parameters *parameters, const char *name) {
    for (int i = 0; i < parameters->count; i++)
        if (strcmp(parameters->list[i].name, name) == 0) return &parameters->list[i];
    return NULL;
}

const gw_parameter *gw_parameters_role(const gw_parameters *parameters, gw_role role, int layer, bool bias) {
    for (int i = 0; i < parameters->count; i++) {
        const gw_parameter *parameter = &parameters->list[i];
        if (parameter->role == role && parameter->bias == bias && (!is_layer_role(role) || parameter->layer == layer))
            return parameter;
    }
    return NULL;
}
