// SPDX-License-Identifier: MIT
// config.json of transformers' encoder-decoders of BART's kind, and names of tied tensors in older files.
#include "model/families/pegasus.h"

const gw_config_field gw_encoder_decoder_fields[] = {
    {"hidden_size", "d_model"},
    {"num_hidden_layers", "encoder_layers"},
    {"num_attention_heads", "encoder_attention_heads"},
    {"intermediate_size", "encoder_ffn_dim"},
    {"hidden_act", "activation_function"},
    {"hidden_dropout_prob", "dropout"},
    {"attention_probs_dropout_prob", "attention_dropout"},
    {"initializer_range", "init_std"},
    {"layer_norm_eps", NULL},
    {"type_vocab_size", NULL},
    {"sep_token_id", NULL},
    {"position_embedding_type", NULL},
    {0},
};

gw_transformer gw_encoder_decoder(const gw_attention_names *attention) {
    return (gw_transformer){
        .prefix = "model.",
        .tokens = "shared",
        .positions = "encoder.embed_positions",
        .layers = "encoder.layers",
        .attention = *attention,
        .feed_forward = "fc1",
        .output = "fc2",
        .output_norm = "final_layer_norm",
        .pooler = "pooler.dense",
        .ties = {"lm_head", "model.encoder.embed_tokens", "model.decoder.embed_tokens"},
        .decoder_layers = "model.decoder.layers",
        .decoder_positions = "model.decoder.embed_positions",
        .own = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.out_proj",
                "self_attn_layer_norm"},
        .cross = {"encoder_attn.q_proj", "encoder_attn.k_proj", "encoder_attn.v_proj", "encoder_attn.out_proj",
                  "encoder_attn_layer_norm"},
        .decoder_feed_forward = "fc1",
        .decoder_output = "fc2",
        .decoder_output_norm = "final_layer_norm",
        .order = GW_DROPOUT_THEN_NORM,
        .first_norm = true,
        .bias_in_output = true,
    };
}

void gw_encoder_decoder_defaults(gw_config *config) {
    config->head = GW_HEAD_GENERATION;
    config->pre_norm = config->last_norm = true;
    config->width = 1024;
    config->layers = config->decoder_layers = 16;
    config->heads = config->decoder_heads = 16;
    config->feed_forward = config->decoder_feed_forward = 4096;
    config->segments = 0;
    config->epsilon = 1e-5; // torch's, which no field says
    config->decoder_start = 2;
    config->end = 1;
    config->classifier_dropout = 0;
}

gw_status gw_encoder_decoder_read(const gw_config_reader *r) {
    gw_config *config = r->config;
    GW_TRY(gw_config_int(r, "decoder_layers", 1, 1024, &config->decoder_layers));
    GW_TRY(gw_config_int(r, "decoder_attention_heads", 1, 1024, &config->decoder_heads));
    GW_TRY(gw_config_int(r, "decoder_ffn_dim", 1, 1 << 20, &config->decoder_feed_forward));
    GW_TRY(gw_config_int(r, "decoder_start_token_id", 0, config->vocabulary - 1, &config->decoder_start));
    GW_TRY(gw_config_int(r, "eos_token_id", 0, config->vocabulary - 1, &config->end));
    if (config->width % config->decoder_heads != 0)
        return gw_fail(GW_ERR_RANGE, "%s: \"d_model\" is %lld, expected a multiple of its %lld decoder heads", r->path,
                       (long long)config->width, (long long)config->decoder_heads);
    return GW_OK;
}

void gw_encoder_decoder_write(json_t *json, const gw_config *config) {
    json_object_set_new(json, "is_encoder_decoder", json_true());
    json_object_set_new(json, "decoder_layers", json_integer(config->decoder_layers));
    json_object_set_new(json, "decoder_attention_heads", json_integer(config->decoder_heads));
    json_object_set_new(json, "decoder_ffn_dim", json_integer(config->decoder_feed_forward));
    json_object_set_new(json, "decoder_start_token_id", json_integer(config->decoder_start));
    json_object_set_new(json, "eos_token_id", json_integer(config->end));
}

// Pegasus as transformers' modeling_pegasus: an encoder and a decoder with norms before the sublayers, biases, full
// attention, and positions that are sines and cosines.

static void set_defaults(gw_config *config) {
    gw_encoder_decoder_defaults(config);
    config->vocabulary = 50265;
    config->positions = 1024;
    config->layers = config->decoder_layers = 12;
    config->decoder_start = 0;
}

static gw_status read(const gw_config_reader *r) {
    GW_TRY(gw_config_read_absolute(r));
    GW_TRY(gw_json_bool(r->json, r->path, "scale_embedding", false, &r->config->rescale));
    if (r->config->width % 2 == 0) return gw_encoder_decoder_read(r);
    return gw_fail(GW_ERR_RANGE, "%s: \"d_model\" is %lld, expected an even number", r->path,
                   (long long)r->config->width);
}

static void write(json_t *json, const gw_config *config) {
    json_object_set_new(json, "scale_embedding", json_boolean(config->rescale));
    gw_encoder_decoder_write(json, config);
}

static void describe(gw_builder *b) {
    const gw_attention_names attention = {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj",
                                          "self_attn.out_proj", "self_attn_layer_norm"};
    gw_transformer of = gw_encoder_decoder(&attention);
    of.last_norm = "encoder.layer_norm";
    of.decoder_last_norm = "model.decoder.layer_norm";
    of.sinusoids = true;
    gw_describe_transformer(b, &of);
}

const gw_family_row gw_family_pegasus = {
    .model_type = "pegasus",
    .prefix = "Pegasus",
    .fields = gw_encoder_decoder_fields,
    .set_defaults = set_defaults,
    .read = read,
    .write = write,
    .describe = describe,
};
