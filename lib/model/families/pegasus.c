// SPDX-License-Identifier: MIT
// Pegasus as transformers' modeling_pegasus: an encoder and a decoder with norms before the sublayers, biases, full
// attention, and positions that are sines and cosines.
#include "model/families/encoder_decoder.h"

static void set_defaults(gw_config *config) {
    gw_encoder_decoder_defaults(config);
    config->vocabulary = 50265;
    config->positions = 1024;
    config->layers = config->decoder_layers = 12;
    config->decoder_start = 0;
}

static gw_status read(const gw_config_reader *r) {
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
