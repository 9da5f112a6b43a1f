// SPDX-License-Identifier: MIT
// GENA-LM's BERT (src/gena_lm/modeling_bert.py). It differs from transformers' BERT by norms before the sublayers,
// rotary positions, and DeepSpeed's sparse attention with a layout in the checkpoint.
#include "model/config_reader.h"
#include "model/family.h"

#include <string.h>

static gw_status is_gena(const gw_config_reader *r, bool *out) {
    const char *positions = "absolute";
    bool pre_norm = false;
    GW_TRY(gw_json_string(r->json, r->path, "position_embedding_type", false, &positions));
    GW_TRY(gw_json_bool(r->json, r->path, "pre_layer_norm", false, &pre_norm));
    *out = pre_norm || strcmp(positions, "rotary") == 0 || gw_config_has(r, "sparse_config_cls") ||
           gw_config_has(r, "sparse_attention");
    return GW_OK;
}

// Sparse attention: which blocks are read stands in the weights; here is how large they are, and what they
// were drawn as.
static gw_status read_pattern(const gw_config_reader *r) {
    const json_t *sparse = json_object_get(r->json, "sparse_attention");
    if (!gw_config_has(r, "sparse_attention") && !gw_config_has(r, "sparse_config_cls")) return GW_OK;
    if (!json_is_object(sparse) || !json_is_string(json_object_get(r->json, "sparse_config_cls")))
        return gw_fail(GW_ERR_FORMAT,
                       "%s: sparse attention needs both \"sparse_config_cls\", a name, and \"sparse_attention\", an "
                       "object",
                       r->path);
    const char *direction = "bidirectional";
    int64_t block = 16, window = 3, global = 1, random = 1, heads = r->config->heads; // DeepSpeed's defaults
    GW_TRY(gw_json_string(sparse, r->path, "attention", false, &direction));
    GW_TRY(gw_json_int(sparse, r->path, "block", false, 1, 1024, &block));
    GW_TRY(gw_json_int(sparse, r->path, "num_sliding_window_blocks", false, 1, 1024, &window));
    GW_TRY(gw_json_int(sparse, r->path, "num_global_blocks", false, 0, 1024, &global));
    GW_TRY(gw_json_int(sparse, r->path, "num_random_blocks", false, 0, 1024, &random));
    GW_TRY(gw_json_int(sparse, r->path, "num_heads", false, heads, heads, &heads));
    if (strcmp(direction, "bidirectional") != 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"attention\" is \"%s\"; only bidirectional is supported", r->path,
                       direction);
    if (r->config->positions % block != 0)
        return gw_fail(GW_ERR_RANGE,
                       "%s: \"max_position_embeddings\" is %lld, expected a multiple of the %lld of "
                       "\"block\"",
                       r->path, (long long)r->config->positions, (long long)block);
    r->config->layout = true;
    r->config->pattern = (gw_pattern){
        .block = (int)block, .window = (int)(window - 1 + window % 2), .global = (int)global, .random = (int)random};
    return GW_OK;
}

static const char head_activation[] = "classifier_activation"; // GENA-LM's own have none, and BERT's

static gw_status read(const gw_config_reader *r) {
    gw_config *config = r->config;
    GW_TRY(gw_config_read_rotary(r));
    GW_TRY(gw_json_bool(r->json, r->path, "pre_layer_norm", false, &config->pre_norm));
    config->last_norm = config->pre_norm;
    GW_TRY(gw_json_bool(r->json, r->path, "last_layer_norm", false, &config->last_norm));
    if (gw_config_has(r, head_activation))
        GW_TRY(gw_config_read_activation(r, head_activation, &config->head_activation));
    if (config->last_norm && !config->pre_norm)
        return gw_fail(GW_ERR_MISMATCH, "%s: \"last_layer_norm\" is true without \"pre_layer_norm\"", r->path);
    return read_pattern(r);
}

static void write(json_t *json, const gw_config *config) {
    json_object_set_new(json, "pre_layer_norm", json_boolean(config->pre_norm));
    json_object_set_new(json, "last_layer_norm", json_boolean(config->last_norm));
    if (config->head_activation != GW_ACTIVATION_NONE)
        json_object_set_new(json, head_activation, json_string(gw_config_activation(config->head_activation)));
    if (config->rotary == 0) return;
    json_object_set_new(json, "rotary_dim", json_integer(config->rotary));
    json_object_set_new(json, "rotary_base", json_real(config->rotary_base));
}

// The layout decides which blocks are read, the pattern how large they are.
static bool agrees(const gw_pattern *own, const gw_pattern *named, bool by_type) {
    return own->full ? (named->full && !named->causal) || by_type : named->block == own->block;
}

static void describe(gw_builder *b) {
    gw_transformer of = gw_bert();
    if (b->config->pre_norm) {
        of.attention.norm = "pre_attention_ln";
        of.output_norm = "post_attention_ln";
    }
    gw_describe_transformer(b, &of);
}

const gw_family_row gw_family_gena = {
    .model_type = "bert",
    .prefix = "Bert",
    .is = is_gena,
    .read = read,
    .write = write,
    .agrees = agrees,
    .describe = describe,
};
