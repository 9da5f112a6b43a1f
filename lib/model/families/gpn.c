// SPDX-License-Identifier: MIT
// GPN (Benegas, Batra and Song, 2023) as in its authors' package: functions of both families, which convert their
// layers to the text of a stem; and the family of model_type "GPN".
#include "model/families/gpn.h"

#include "base/number.h"
#include "model/family.h"
#include "model/head.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LAYERS = 1024, MOST_NUMBER = 1 << 16 };

void gw_gpn_set_defaults(gw_config *config) {
    config->head = GW_HEAD_MASKED;
    config->vocabulary = 7;
    config->pooling = GW_SEQUENCE_MEAN;
    config->width = 512;
    config->layers = 0;
    config->heads = 1;
    config->segments = 1;
    config->positions = GW_GPN_WINDOW;
    config->rotary = 2; // positions have no weights: windows may be of any length
    config->epsilon = 1e-5;
    config->tied = false;
    config->one_hot = true;
}

bool gw_gpn_computes(const gw_config *config) {
    const bool pools = config->pooling == GW_SEQUENCE_FIRST || config->pooling == GW_SEQUENCE_MEAN;
    return pools && config->pattern.full && config->pattern.band == 0;
}

int64_t gw_gpn_place(int64_t window) {
    return window / 2;
}

gw_transformer gw_gpn(void) {
    gw_transformer of = gw_bert();
    of.prefix = "model.";
    of.segments = of.embedding_norm = of.questions = NULL;
    of.order = GW_NORM_ALONE;
    of.labels = GW_LABELS_OF_DENSE;
    of.dense_activation = GW_ACTIVATION_GELU_EXACT;
    of.taps_last = true;
    return of;
}

static gw_status refuse_inputs(const gw_config_reader *r) {
    int64_t tracks = 0;
    bool softplus = false;
    gw_activation activation = GW_ACTIVATION_GELU_EXACT;
    GW_TRY(gw_json_int(r->json, r->path, "n_aux_features", false, 0, MOST_NUMBER, &tracks));
    if (tracks > 0)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "%s: \"n_aux_features\" is %lld: a model that reads tracks beside bases cannot be run", r->path,
                       (long long)tracks);
    if (!gw_head_of(r->config->head)->problem) return GW_OK;
    GW_TRY(gw_json_bool(r->json, r->path, "regression_softplus", false, &softplus));
    if (softplus)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"regression_softplus\" is true; only false is supported", r->path);
    GW_TRY(gw_config_read_activation(r, "hidden_act", &activation));
    if (activation == GW_ACTIVATION_GELU_EXACT) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"hidden_act\" is \"%s\"; only gelu is supported", r->path,
                   gw_config_activation(activation));
}

gw_status gw_gpn_read(const gw_config_reader *r, const char *count_key, gw_gpn_layers *out) {
    GW_TRY(refuse_inputs(r));
    GW_TRY(gw_json_int(r->json, r->path, count_key, false, 1, MOST_LAYERS, &out->count));
    GW_TRY(gw_json_int(r->json, r->path, "dilation_base", false, 1, MOST_NUMBER, &out->base));
    GW_TRY(gw_json_int(r->json, r->path, "dilation_cycle", false, 1, MOST_NUMBER, &out->cycle));
    GW_TRY(gw_json_int(r->json, r->path, "dilation_double_every", false, 1, MOST_NUMBER, &out->double_every));
    return gw_json_int(r->json, r->path, "dilation_max", false, 1, MOST_NUMBER, &out->max);
}

void gw_gpn_put_part(const gw_gpn_layers *layers, int64_t first, int64_t end, const char *part, gw_string *text) {
    if (first >= end) return;
    gw_string_printf(text, "%s%s", text->length > 0 ? "+" : "", part);
    for (int64_t i = first; i < end; i++) {
        int64_t power = i % layers->cycle / layers->double_every, dilation = 1;
        for (; power > 0 && dilation < layers->max; power--) dilation *= layers->base;
        gw_string_printf(text, "%s%lld", i == first ? "@" : ",", (long long)gw_min(dilation, layers->max));
    }
}

gw_status gw_gpn_use_stem(const gw_config_reader *r, gw_string *text) {
    gw_config *config = r->config;
    gw_status status = gw_string_status(text);
    if (status == GW_OK && config->one_hot && config->vocabulary > config->width)
        status = gw_fail(GW_ERR_RANGE, "%s: \"vocab_size\" is %lld, more than the %lld values of a one-hot row",
                         r->path, (long long)config->vocabulary, (long long)config->width);
    if (status == GW_OK) {
        status = gw_stem_parse(text->data, config->width, &config->stem);
        if (status != GW_OK) status = gw_fail_in(status, "%s", r->path);
    }
    gw_string_free(text);
    return status;
}

// Model_type "GPN": dilated convolutions over single bases in layers with norms before their sublayers, a last norm,
// and a head of masked tokens with a layer of its own. Of its encoders it is "convnet" that is a stem (nn/stem.h).

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
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"%s\" is \"%s\"; only %s is supported", r->path, key, found, usual);
}

static gw_status expect_flag(const gw_config_reader *r, const char *key, bool usual) {
    bool found = usual;
    GW_TRY(gw_json_bool(r->json, r->path, key, false, &found));
    if (found == usual) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"%s\" is %s; only %s is supported", r->path, key, found ? "true" : "false",
                   usual ? "true" : "false");
}

// One-hot letters, or a table; logits have weights of their own beside either.
static gw_status read_letters(const gw_config_reader *r) {
    const char *kind = "one_hot";
    GW_TRY(gw_json_string(r->json, r->path, "embedding", false, &kind));
    r->config->one_hot = strcmp(kind, "one_hot") == 0;
    if (r->config->one_hot) return GW_OK;
    if (strcmp(kind, "embedding") == 0) return expect_flag(r, "tie_word_embeddings", false);
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"embedding\" is \"%s\"; one_hot and embedding are supported", r->path,
                   kind);
}

static gw_status read(const gw_config_reader *r) {
    gw_config *config = r->config;
    gw_gpn_layers layers = {.count = 25, .base = 2, .cycle = 8, .double_every = 1, .max = 9999};
    int64_t first = 9, rest = 5;
    char part[64];
    gw_string text = {0};
    GW_TRY(gw_config_read_absolute(r));
    GW_TRY(expect(r, "encoder", "convnet"));
    GW_TRY(expect_flag(r, "depthwise", false));
    if (gw_head_of(config->head)->masked) GW_TRY(expect_flag(r, "mlm_head_transform", true));
    if (gw_head_of(config->head)->problem) GW_TRY(expect(r, "classification_head", "standard"));
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
    .set_defaults = set_defaults,
    .read = read,
    .write = write,
    .computes = gw_gpn_computes,
    .describe = describe,
    .scoring = {.place = gw_gpn_place},
};
