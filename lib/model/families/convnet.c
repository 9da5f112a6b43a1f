// SPDX-License-Identifier: MIT
// The first GPN, model_type "ConvNet", as in the published model of Brassicales: dilated convolutions over single bases
// in layers with norms behind their sublayers, and no last norm.
#include "model/families/gpn.h"
#include "model/family.h"

static gw_status read(const gw_config_reader *r) {
    gw_gpn_layers layers = {.count = 25, .base = 2, .cycle = 6, .double_every = 1, .max = 32};
    int64_t taps = 9;
    char part[64];
    gw_string text = {0};
    GW_TRY(gw_config_read_absolute(r));
    GW_TRY(gw_gpn_read(r, "n_layers", &layers));
    GW_TRY(gw_json_int(r->json, r->path, "kernel_size", false, 1, INT32_MAX, &taps));
    snprintf(part, sizeof part, "convnet:%lld", (long long)taps);
    gw_gpn_put_part(&layers, 0, layers.count, part, &text);
    return gw_gpn_use_stem(r, &text);
}

// Nothing drops values but the head of labels, for which "hidden_dropout_prob" is.
static const gw_config_field fields[] = {
    {"num_hidden_layers", NULL},
    {"num_attention_heads", NULL},
    {"intermediate_size", NULL},
    {"layer_norm_eps", NULL},
    {"hidden_act", NULL},
    {"hidden_dropout_prob", NULL},
    {"classifier_dropout", "hidden_dropout_prob"},
    {"position_embedding_type", NULL},
    {"type_vocab_size", NULL},
    {"sep_token_id", NULL},
    {"rotary_dim", NULL},
    {"tie_word_embeddings", NULL},
    {0},
};

static void describe(gw_builder *b) {
    gw_transformer of = gw_gpn();
    of.parts = "encoder";
    of.convolution = "conv.1";
    of.convolution_norm = "conv.4";
    of.part_feed_forward = "ffn.0";
    of.part_norm = "ffn.2";
    of.transform = "cls.decoder.0";
    of.transform_norm = "cls.decoder.2";
    of.words = of.words_weight = "cls.decoder.3";
    gw_describe_transformer(b, &of);
}

const gw_family_row gw_family_convnet = {
    .model_type = "ConvNet",
    .prefix = "ConvNet",
    .fields = fields,
    .set_defaults = gw_gpn_set_defaults,
    .read = read,
    .computes = gw_gpn_computes,
    .describe = describe,
    .scoring = {.place = gw_gpn_place},
};
