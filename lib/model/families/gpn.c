// SPDX-License-Identifier: MIT
// GPN (Benegas, Batra and Song, 2023) as its authors' package computes it, model_type "GPN": dilated convolutions over
// single bases in layers with norms before their sublayers, a last norm, and a head of masked tokens with a layer of
// its own. Of its encoders it is "convnet" that is a stem (nn/stem.h).
#include "model/families/gpn_layers.h"
#include "model/family.h"
#include "model/head.h"

#include <string.h>

static void set_defaults(gw_config *config) {
    gw_gpn_set_defaults(config);
    config->pre_norm = config->last_norm = true;
    config->feed_forward = 2048;
    config->dropout = 0;
    config->bias = config->norm_bias = config->feed_forward_bias = config->head_bias = config->decoder_bias = false;
}

static gw_status expect(const gw_config_reader *r, const char *key, const char *usual) {
    const char *found = usual;
    GW_TRY(gw_json_string(r->json, r->path, key, false, &found));
    if (strcmp(found, usual) == 0) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"%s\" is \"%s\"; %s is what can be run", r->path, key, found, usual);
}

static gw_status expect_flag(const gw_config_reader *r, const char *key, bool usual) {
    bool found = usual;
    GW_TRY(gw_json_bool(r->json, r->path, key, false, &found));
    if (found == usual) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"%s\" is %s; %s is what can be run", r->path, key,
                   found ? "true" : "false", usual ? "true" : "false");
}

static gw_status refuse_others(const gw_config_reader *r) {
    GW_TRY(expect(r, "encoder", "convnet"));
    GW_TRY(expect_flag(r, "depthwise", false));
    if (gw_head_of(r->config->head)->masked) GW_TRY(expect_flag(r, "mlm_head_transform", true));
    if (gw_head_of(r->config->head)->problem) GW_TRY(expect(r, "classification_head", "standard"));
    return GW_OK;
}

// One-hot letters, or a table; logits have weights of their own beside either.
static gw_status read_letters(const gw_config_reader *r) {
    const char *kind = "one_hot";
    GW_TRY(gw_json_string(r->json, r->path, "embedding", false, &kind));
    r->config->one_hot = strcmp(kind, "one_hot") == 0;
    if (r->config->one_hot) return GW_OK;
    if (strcmp(kind, "embedding") == 0) return expect_flag(r, "tie_word_embeddings", false);
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"embedding\" is \"%s\"; one_hot and embedding are what can be run",
                   r->path, kind);
}

static gw_status read(const gw_config_reader *r) {
    gw_config *config = r->config;
    gw_gpn_layers layers = {.count = 25, .base = 2, .cycle = 8, .double_every = 1, .max = 9999};
    int64_t first = 9, rest = 5;
    char part[64];
    gw_string text = {0};
    GW_TRY(refuse_others(r));
    GW_TRY(read_letters(r));
    GW_TRY(gw_gpn_read(r, "num_hidden_layers", &layers));
    GW_TRY(gw_json_int(r->json, r->path, "first_kernel_size", false, 1, INT32_MAX, &first));
    GW_TRY(gw_json_int(r->json, r->path, "rest_kernel_size", false, 1, INT32_MAX, &rest));
    GW_TRY(gw_json_bool(r->json, r->path, "bias", false, &config->bias));
    config->norm_bias = config->feed_forward_bias = config->head_bias = config->decoder_bias = config->bias;
    snprintf(part, sizeof part, "gpn:%lldx%lld", (long long)first, (long long)config->feed_forward);
    gw_gpn_put_part(&layers, 0, 1, part, &text);
    snprintf(part, sizeof part, "gpn:%lldx%lld", (long long)rest, (long long)config->feed_forward);
    gw_gpn_put_part(&layers, 1, layers.count, part, &text);
    return gw_gpn_use_stem(r, &text);
}

static void write(json_t *json, const gw_config *config) {
    json_object_set_new(json, "bias", json_boolean(config->bias));
    json_object_set_new(json, "embedding", json_string(config->one_hot ? "one_hot" : "embedding"));
}

// Its layers are a stem, whose fields stand in what is kept of the file.
static const gw_config_field fields[] = {
    {"num_hidden_layers", NULL},
    {"num_attention_heads", NULL},
    {"layer_norm_eps", NULL},
    {"hidden_act", NULL},
    {"position_embedding_type", NULL},
    {"type_vocab_size", NULL},
    {"sep_token_id", NULL},
    {"rotary_dim", NULL},
    {"classifier_dropout", NULL},
    {0},
};

static void describe(gw_builder *b) {
    gw_transformer of = gw_gpn();
    of.parts = "encoder.layer";
    of.convolution_norm = "conv.0";
    of.convolution = "conv.2";
    of.convolution_mix = "conv.5";
    of.part_norm = "ffn.0";
    of.part_feed_forward = "ffn.1";
    of.part_output = "ffn.3";
    of.last_norm = "ln_f";
    of.transform = "cls.transform.0";
    of.transform_norm = "cls.transform.2";
    of.words = of.words_weight = "cls.decoder";
    of.label_norm = "classifier.ln";
    gw_describe_transformer(b, &of);
}

const gw_family_row gw_family_gpn = {
    .model_type = "GPN",
    .prefix = "GPN",
    .fields = fields,
    .facts = GW_GPN_FACTS,
    .set_defaults = set_defaults,
    .read = read,
    .write = write,
    .computes = gw_gpn_computes,
    .describe = describe,
};
