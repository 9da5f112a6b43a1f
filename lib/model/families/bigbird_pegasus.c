// SPDX-License-Identifier: MIT
// BigBirdPegasus as transformers' modeling_bigbird_pegasus: an encoder with BigBird's attention and a decoder, with
// norms before the sublayers. Token embeddings and logits share a matrix. The norms named layernorm_embedding are
// behind the last layers.
#include "model/families/bigbird.h"
#include "model/families/pegasus.h"

static void set_defaults(gw_config *config) {
    gw_encoder_decoder_defaults(config);
    config->vocabulary = 96103;
    config->positions = 4096;
    config->activation = GW_ACTIVATION_GELU;
    config->pattern = (gw_pattern){.block = 64, .window = 3, .global = 2, .random = 3, .tables = GW_TABLES_SEEDED};
    config->bias = false;
    config->rescale = true;
}

static gw_status read(const gw_config_reader *r) {
    GW_TRY(gw_config_read_absolute(r));
    GW_TRY(gw_json_bool(r->json, r->path, "use_bias", false, &r->config->bias));
    GW_TRY(gw_json_bool(r->json, r->path, "scale_embedding", false, &r->config->rescale));
    GW_TRY(gw_encoder_decoder_read(r));
    return gw_bigbird_read_pattern(r);
}

static void write(json_t *json, const gw_config *config) {
    gw_bigbird_write(json, config);
    json_object_del(json, "rescale_embeddings");
    json_object_del(json, "bos_token_id");
    json_object_del(json, "eos_token_id");
    json_object_set_new(json, "scale_embedding", json_boolean(config->rescale));
    gw_encoder_decoder_write(json, config);
}

static void describe(gw_builder *b) {
    const gw_attention_names attention = {"self_attn.self.query", "self_attn.self.key", "self_attn.self.value",
                                          "self_attn.output", "self_attn_layer_norm"};
    gw_transformer of = gw_encoder_decoder(&attention);
    of.last_norm = "encoder.layernorm_embedding";
    of.decoder_last_norm = "model.decoder.layernorm_embedding";
    gw_describe_transformer(b, &of);
}

const gw_family_row gw_family_bigbird_pegasus = {
    .model_type = "bigbird_pegasus",
    .prefix = "BigBirdPegasus",
    .fields = gw_encoder_decoder_fields,
    .set_defaults = set_defaults,
    .read = read,
    .write = write,
    .agrees = gw_bigbird_agrees,
    .computes = gw_bigbird_computes,
    .describe = describe,
};
