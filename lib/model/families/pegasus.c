// SPDX-License-Identifier: MIT
// Pegasus as transformers' modeling_pegasus: an encoder and a decoder with norms before the sublayers, biases, full
// attention, and positions that are sines and cosines.
#include "model/families/encoder_decoder.h"

static void set_defaults(gw_config *config) {
    gw_encoder_decoder_defaults(config);
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

static const gw_tensor_stem stems[] = {
    {"attention.output.dense", "self_attn.out_proj"},
    {"attention.self.query", "self_attn.q_proj"},
    {"attention.self.key", "self_attn.k_proj"},
    {"attention.self.value", "self_attn.v_proj"},
    {"encoder.last_layer_ln", "encoder.layer_norm"},
    {"decoder.last_layer_ln", "model.decoder.layer_norm"},
    GW_ENCODER_DECODER_STEMS,
    {0},
};

const gw_family_row gw_family_pegasus = {
    .model_type = "pegasus",
    .prefix = "Pegasus",
    .usual_head = GW_HEAD_GENERATION,
    .vocabulary = 50265,
    .positions = 1024,
    .separator = -1,
    .activation = GW_ACTIVATION_GELU_EXACT,
    .pattern = {.block = 64, .full = true},
    .pre_norm = true,
    .fields = gw_encoder_decoder_fields,
    .set_defaults = set_defaults,
    .read = read,
    .write = write,
    .encoder = "model.",
    .stems = stems,
    .layers = "encoder.layers",
    .decoder_layers = "model.decoder.layers",
    .ties = gw_encoder_decoder_ties,
    .sinusoids = true,
    .plain_embedding = true,
    .bias_in_output = true,
    .order = GW_DROPOUT_THEN_NORM,
};
