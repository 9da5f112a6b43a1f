// SPDX-License-Identifier: MIT
// Tensor names and shapes of transformers' BigBird, BERT and RoBERTa and of GENA-LM's BERT, with every head.
// E width, I feed-forward, V vocabulary, P positions, S segments, L labels. Linear weights are [out][in].
//
// BERT's names are the rule; what another family calls otherwise its row says.
#include "model/names.h"

#include "base/memory.h"
#include "model/family.h"
#include "model/head.h"
#include "model/mixer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIMENSIONS = 3 };

static const char *const stems[] = {
    [GW_ROLE_TOKEN_EMBEDDING] = "embeddings.word_embeddings",
    [GW_ROLE_POSITION] = "embeddings.position_embeddings",
    [GW_ROLE_SEGMENT] = "embeddings.token_type_embeddings",
    [GW_ROLE_EMBEDDING_NORM] = "embeddings.LayerNorm",
    [GW_ROLE_FREQUENCIES] = "rotary_embeddings.inv_freq",
    [GW_ROLE_QUERY] = "attention.self.query",
    [GW_ROLE_KEY] = "attention.self.key",
    [GW_ROLE_VALUE] = "attention.self.value",
    [GW_ROLE_ATTENTION_OUTPUT] = "attention.output.dense",
    [GW_ROLE_ATTENTION_NORM] = "attention.output.LayerNorm",
    [GW_ROLE_FEED_FORWARD] = "intermediate.dense",
    [GW_ROLE_GATE] = "intermediate.gate",
    [GW_ROLE_OUTPUT] = "output.dense",
    [GW_ROLE_OUTPUT_NORM] = "output.LayerNorm",
    [GW_ROLE_BESIDE_ATTENTION_OUTPUT] = "beside.attention.output.dense",
    [GW_ROLE_BESIDE_ATTENTION_NORM] = "beside.attention.output.LayerNorm",
    [GW_ROLE_BESIDE_FEED_FORWARD] = "beside.intermediate.dense",
    [GW_ROLE_BESIDE_GATE] = "beside.intermediate.gate",
    [GW_ROLE_BESIDE_OUTPUT] = "beside.output.dense",
    [GW_ROLE_BESIDE_OUTPUT_NORM] = "beside.output.LayerNorm",
    [GW_ROLE_BESIDE_EMBEDDING_NORM] = "embeddings.beside.LayerNorm",
    [GW_ROLE_LAST_NORM] = "encoder.last_layer_ln",
    [GW_ROLE_STEM_CONVOLUTION] = "convolution",
    [GW_ROLE_STEM_MIX] = "convolution_mix",
    [GW_ROLE_STEM_NORM] = "convolution_norm",
    [GW_ROLE_STEM_SECOND] = "second_convolution",
    [GW_ROLE_STEM_OUTPUT_NORM] = "output_norm",
    [GW_ROLE_STEM_FEED_FORWARD] = "feed_forward",
    [GW_ROLE_STEM_OUTPUT] = "output",
    [GW_ROLE_STEM_PLACE] = "places",
    [GW_ROLE_CONTACTS] = "contact_head.regression",
    [GW_ROLE_POOLER] = "pooler.dense",
    [GW_ROLE_DECODER_POSITION] = "decoder.embeddings.position_embeddings",
    [GW_ROLE_OWN_QUERY] = "decoder.attention.self.query",
    [GW_ROLE_OWN_KEY] = "decoder.attention.self.key",
    [GW_ROLE_OWN_VALUE] = "decoder.attention.self.value",
    [GW_ROLE_OWN_OUTPUT] = "decoder.attention.output.dense",
    [GW_ROLE_OWN_NORM] = "decoder.attention.output.LayerNorm",
    [GW_ROLE_CROSS_QUERY] = "decoder.crossattention.self.query",
    [GW_ROLE_CROSS_KEY] = "decoder.crossattention.self.key",
    [GW_ROLE_CROSS_VALUE] = "decoder.crossattention.self.value",
    [GW_ROLE_CROSS_OUTPUT] = "decoder.crossattention.output.dense",
    [GW_ROLE_CROSS_NORM] = "decoder.crossattention.output.LayerNorm",
    [GW_ROLE_DECODER_FEED_FORWARD] = "decoder.intermediate.dense",
    [GW_ROLE_DECODER_OUTPUT] = "decoder.output.dense",
    [GW_ROLE_DECODER_OUTPUT_NORM] = "decoder.output.LayerNorm",
    [GW_ROLE_DECODER_LAST_NORM] = "decoder.last_layer_ln",
    [GW_ROLE_TARGET_LOGITS] = "final_logits_bias",
};

static const char *own_stem(const gw_tensor_stem *own, const char *stem) {
    for (; own && own->bert; own++)
        if (strcmp(own->bert, stem) == 0) return own->own;
    return NULL;
}

const char *gw_family_stem(const gw_config *config, const char *stem) {
    const gw_family_row *family = gw_family_of(config->family);
    const char *before = config->pre_norm ? own_stem(family->pre_norm_stems, stem) : NULL;
    const char *own = before ? before : own_stem(family->stems, stem);
    return own ? own : stem;
}

const char *gw_encoder_prefix(const gw_config *config) {
    return gw_head_of(config->head)->list ? gw_family_of(config->family)->encoder : "";
}

static void name_parameter(const gw_config *config, const char *stem, gw_parameter *parameter) {
    const gw_family_row *family = gw_family_of(config->family);
    const char *prefix = gw_role_is_encoder(parameter->role) ? gw_encoder_prefix(config) : "", *layers = NULL;
    const char *kind = parameter->bias ? ".bias" : ".weight";
    char layer[40] = "";
    if (gw_role_is_of_layer(parameter->role)) layers = family->layers ? family->layers : "encoder.layer";
    if (gw_role_is_of_decoder_layer(parameter->role)) layers = family->decoder_layers;
    if (gw_role_is_of_stem(parameter->role)) layers = family->stem_parts ? family->stem_parts : "stem";
    if (layers) snprintf(layer, sizeof layer, "%s.%d.", layers, parameter->layer);
    // Buffers, whose names are whole.
    if (parameter->role == GW_ROLE_TARGET_LOGITS || parameter->role == GW_ROLE_FREQUENCIES) kind = "";
    snprintf(parameter->name, sizeof parameter->name, "%s%s%s%s", prefix, layer, gw_family_stem(config, stem), kind);
}

struct gw_tensor_list {
    const gw_config *config;
    gw_parameters *parameters;
    int64_t capacity;
    int layer; // that is being listed, or part of the stem
    gw_status status;
};

static void add(gw_tensor_list *list, gw_parameter parameter, const char *stem) {
    gw_parameters *parameters = list->parameters;
    if (list->status == GW_OK)
        list->status = gw_reserve(&parameters->list, &list->capacity, parameters->count + 1, sizeof *parameters->list);
    if (list->status != GW_OK) return;
    parameter.layer = list->layer;
    parameter.count = 1;
    for (; parameter.dimensions < MOST_DIMENSIONS && parameter.shape[parameter.dimensions] > 0; parameter.dimensions++)
        parameter.count *= parameter.shape[parameter.dimensions];
    parameter.made = list->config->one_hot && parameter.role == GW_ROLE_TOKEN_EMBEDDING;
    parameter.taps_last = parameter.dimensions == 3 && gw_family_of(list->config->family)->taps_last;
    parameter.fixed = parameter.made || parameter.role == GW_ROLE_FREQUENCIES || parameter.role == GW_ROLE_CONTACTS ||
                      (gw_family_of(list->config->family)->sinusoids &&
                       (parameter.role == GW_ROLE_POSITION || parameter.role == GW_ROLE_DECODER_POSITION));
    parameter.decay = parameter.dimensions > 1 && !parameter.bias && !parameter.fixed && parameter.begins_at == 0;
    name_parameter(list->config, stem, &parameter);
    parameters->list[parameters->count++] = parameter;
}

void gw_list_weight(gw_tensor_list *list, gw_role role, const char *stem, int64_t out, int64_t in) {
    add(list, (gw_parameter){.role = role, .shape = {out, in}}, stem);
}

void gw_list_slopes(gw_tensor_list *list, gw_role role, const char *stem, int64_t out) {
    add(list, (gw_parameter){.role = role, .shape = {out, 1}, .begins_at = 1}, stem);
}

void gw_list_bias(gw_tensor_list *list, gw_role role, const char *stem, int64_t count) {
    add(list, (gw_parameter){.role = role, .bias = true, .shape = {count}}, stem);
}

void gw_list_linear(gw_tensor_list *list, gw_role role, const char *stem, int64_t out, int64_t in) {
    gw_list_weight(list, role, stem, out, in);
    gw_list_bias(list, role, stem, out);
}

static void list_norm(gw_tensor_list *list, gw_role role, const char *stem, int64_t width) {
    add(list, (gw_parameter){.role = role, .shape = {width}, .begins_at = 1}, stem);
    if (list->config->norm_bias) gw_list_bias(list, role, stem, width);
}

void gw_list_norm(gw_tensor_list *list, gw_role role, const char *stem) {
    list_norm(list, role, stem, list->config->width);
}

static void add_linear(gw_tensor_list *list, gw_role role, int64_t out, int64_t in) {
    gw_list_linear(list, role, stems[role], out, in);
}

static void add_norm(gw_tensor_list *list, gw_role role) {
    gw_list_norm(list, role, stems[role]);
}

// A square layer whose bias the config speaks of.
static void add_input(gw_tensor_list *list, gw_role role, int64_t width) {
    gw_list_weight(list, role, stems[role], width, width);
    if (list->config->bias) gw_list_bias(list, role, stems[role], width);
}

// Attention's output layer, whose bias the config speaks of in some families.
static void add_attention_output(gw_tensor_list *list, gw_role role) {
    const int64_t width = list->config->width;
    if (gw_family_of(list->config->family)->bias_in_output) add_input(list, role, list->config->width);
    else add_linear(list, role, width, width);
}

// A layer of the feed-forward block.
static void add_feed_forward(gw_tensor_list *list, gw_role role, int64_t out, int64_t in) {
    gw_list_weight(list, role, stems[role], out, in);
    if (list->config->feed_forward_bias) gw_list_bias(list, role, stems[role], out);
}

// The layers of rows beside the tokens, as the tokens have them.
static void add_beside(gw_tensor_list *list) {
    const gw_config *config = list->config;
    const unsigned own = gw_config_own_layers(config);
    const int64_t width = config->width, wide = config->feed_forward;
    const gw_family_row *family = gw_family_of(config->family);
    if (own & GW_OWN_OUTPUTS) {
        if (!(config->pre_norm && family->no_first_norm && list->layer == 0))
            add_norm(list, GW_ROLE_BESIDE_ATTENTION_NORM);
        add_attention_output(list, GW_ROLE_BESIDE_ATTENTION_OUTPUT);
    }
    if (!(own & GW_OWN_FEED_FORWARDS)) return;
    add_feed_forward(list, GW_ROLE_BESIDE_FEED_FORWARD, wide, width);
    if (family->gated) add_feed_forward(list, GW_ROLE_BESIDE_GATE, wide, width);
    add_feed_forward(list, GW_ROLE_BESIDE_OUTPUT, width, wide);
    add_norm(list, GW_ROLE_BESIDE_OUTPUT_NORM);
}

static void add_layer(gw_tensor_list *list) {
    const gw_config *config = list->config;
    const int64_t width = config->width;
    const gw_family_row *family = gw_family_of(config->family);
    const gw_mixer_row *mixer = gw_mixer_of(config->mixer);
    if (config->pre_norm && !(family->no_first_norm && list->layer == 0)) add_norm(list, GW_ROLE_ATTENTION_NORM);
    if (!mixer->shares_query) add_input(list, GW_ROLE_QUERY, list->config->width);
    add_input(list, GW_ROLE_KEY, list->config->width);
    add_input(list, GW_ROLE_VALUE, list->config->width);
    if (mixer->list) mixer->list(config, list);
    add_attention_output(list, GW_ROLE_ATTENTION_OUTPUT);
    add_norm(list, config->pre_norm ? GW_ROLE_OUTPUT_NORM : GW_ROLE_ATTENTION_NORM);
    add_feed_forward(list, GW_ROLE_FEED_FORWARD, config->feed_forward, width);
    if (family->gated) add_feed_forward(list, GW_ROLE_GATE, config->feed_forward, width);
    add_feed_forward(list, GW_ROLE_OUTPUT, width, config->feed_forward);
    if (!config->pre_norm) add_norm(list, GW_ROLE_OUTPUT_NORM);
    add_beside(list);
}

// A sublayer of attention; its norm's stem is the one after it, whose place the architecture decides.
static void add_decoder_attention(gw_tensor_list *list, gw_role query) {
    add_input(list, query, list->config->width);
    add_input(list, query + 1, list->config->width); // key
    add_input(list, query + 2, list->config->width); // value
    add_attention_output(list, query + 3);
    add_norm(list, query + 4);
}

static void add_decoder_layer(gw_tensor_list *list) {
    const int64_t width = list->config->width, wide = list->config->decoder_feed_forward;
    add_decoder_attention(list, GW_ROLE_OWN_QUERY);
    add_decoder_attention(list, GW_ROLE_CROSS_QUERY);
    add_linear(list, GW_ROLE_DECODER_FEED_FORWARD, wide, width);
    add_linear(list, GW_ROLE_DECODER_OUTPUT, width, wide);
    add_norm(list, GW_ROLE_DECODER_OUTPUT_NORM);
}

bool gw_head_reads_pooler(const gw_config *config) {
    const gw_head_pooler pooler = gw_head_of(config->head)->pooler;
    if (gw_family_of(config->family)->head_transform) return false;
    return pooler == GW_POOLER_READ || (pooler == GW_POOLER_OR_DENSE && !gw_family_of(config->family)->dense_labels);
}

// The encoder alone has a pooler, and so have nearly all heads of BigBird, whether they read it or not.
static bool has_pooler(const gw_config *config) {
    const gw_head_row *head = gw_head_of(config->head);
    const bool always = gw_family_of(config->family)->always_pools && head->pooler != GW_POOLER_ABSENT;
    const bool bare = !head->list && !gw_family_of(config->family)->head_transform;
    return bare || always || gw_head_reads_pooler(config);
}

static void add_embedding(gw_tensor_list *list, gw_role role, int64_t rows, int64_t width) {
    gw_list_weight(list, role, stems[role], rows, width);
}

static void add_convolution(gw_tensor_list *list, gw_role role, const gw_stem_layer *part) {
    add(list, (gw_parameter){.role = role, .shape = {part->taps, part->width, part->in}}, stems[role]);
    if (list->config->bias) gw_list_bias(list, role, stems[role], part->width);
}

static void add_stem_part(gw_tensor_list *list, const gw_stem_layer *part) {
    const int64_t width = part->width;
    if (part->kind == GW_STEM_POSITIONS)
        gw_list_weight(list, GW_ROLE_STEM_PLACE, stems[GW_ROLE_STEM_PLACE],
                       gw_stem_rows(&list->config->stem, part->level, list->config->positions), width);
    if (part->kind == GW_STEM_SKIP) add_linear(list, GW_ROLE_STEM_OUTPUT, width, width);
    if (part->taps == 0) return;
    const bool has_norms = part->kind != GW_STEM_CONVOLUTION;
    if (has_norms) list_norm(list, GW_ROLE_STEM_NORM, stems[GW_ROLE_STEM_NORM], width);
    add_convolution(list, GW_ROLE_STEM_CONVOLUTION, part);
    if (part->kind == GW_STEM_GPN) add_input(list, GW_ROLE_STEM_MIX, width);
    if (has_norms) list_norm(list, GW_ROLE_STEM_OUTPUT_NORM, stems[GW_ROLE_STEM_OUTPUT_NORM], width);
    if (gw_stem_is_unit(part)) add_convolution(list, GW_ROLE_STEM_SECOND, part);
    if (part->wide == 0) return;
    add_feed_forward(list, GW_ROLE_STEM_FEED_FORWARD, part->wide, width);
    if (part->kind != GW_STEM_CONVNET) add_feed_forward(list, GW_ROLE_STEM_OUTPUT, width, part->wide);
}

static void add_encoder(gw_tensor_list *list) {
    const gw_config *config = list->config;
    const int64_t letters = config->stem.count > 0 ? config->stem.letters : config->width;
    add_embedding(list, GW_ROLE_TOKEN_EMBEDDING, config->vocabulary, letters);
    if (config->rotary == 0) add_embedding(list, GW_ROLE_POSITION, config->positions, letters);
    const gw_family_row *family = gw_family_of(config->family);
    if (!family->plain_embedding && !family->no_segments)
        add_embedding(list, GW_ROLE_SEGMENT, config->segments, letters);
    if (!family->plain_embedding && config->embedding_norm) {
        list_norm(list, GW_ROLE_EMBEDDING_NORM, stems[GW_ROLE_EMBEDDING_NORM], letters);
        if (gw_config_own_layers(config) & GW_OWN_OUTPUTS) add_norm(list, GW_ROLE_BESIDE_EMBEDDING_NORM);
    }
    if (family->stores_frequencies && config->rotary > 0)
        add(list, (gw_parameter){.role = GW_ROLE_FREQUENCIES, .shape = {config->rotary / 2}},
            stems[GW_ROLE_FREQUENCIES]);
    for (; list->layer < config->stem.count; list->layer++) add_stem_part(list, &config->stem.part[list->layer]);
    for (list->layer = 0; list->layer < config->layers; list->layer++) add_layer(list);
    list->layer = 0;
    if (config->last_norm) add_norm(list, GW_ROLE_LAST_NORM);
    if (family->keeps_contacts) add_linear(list, GW_ROLE_CONTACTS, 1, config->layers * config->heads);
    if (has_pooler(config)) add_linear(list, GW_ROLE_POOLER, config->width, config->width);
}

// Of a decoder that has the encoder's tensors but for its attention to the source.
static void add_cross_attention(gw_tensor_list *list) {
    for (list->layer = 0; list->layer < list->config->layers; list->layer++)
        add_decoder_attention(list, GW_ROLE_CROSS_QUERY);
    list->layer = 0;
}

void gw_list_decoder(gw_tensor_list *list) {
    const gw_config *config = list->config;
    if (gw_family_of(config->family)->twin) {
        add_cross_attention(list);
        gw_head_of(GW_HEAD_MASKED)->list(config, list);
        return;
    }
    add_embedding(list, GW_ROLE_DECODER_POSITION, config->positions, config->width);
    for (list->layer = 0; list->layer < config->decoder_layers; list->layer++) add_decoder_layer(list);
    list->layer = 0;
    add_norm(list, GW_ROLE_DECODER_LAST_NORM);
    add(list, (gw_parameter){.role = GW_ROLE_TARGET_LOGITS, .bias = true, .shape = {1, config->vocabulary}},
        stems[GW_ROLE_TARGET_LOGITS]);
}

gw_status gw_parameters_make(const gw_config *config, gw_parameters *out) {
    *out = (gw_parameters){0};
    gw_tensor_list list = {.config = config, .parameters = out};
    const gw_head_row *head = gw_head_of(config->head);
    add_encoder(&list);
    if (head->list) head->list(config, &list);
    gw_parameters_set_offsets(out);
    if (list.status != GW_OK) gw_parameters_free(out);
    return list.status;
}
