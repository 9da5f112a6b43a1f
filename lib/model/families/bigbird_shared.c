// SPDX-License-Identifier: MIT
// BigBird as encoder and decoder with one set of tensors (Big Bird, appendix E.5; Rothe et al., 2020). The decoder adds
// attention to the source in each layer, and reads its own text in full. In transformers it is an EncoderDecoderModel
// of two BigBirds; files hold the shared tensors under both names.
#include "model/families/bigbird.h"

#include <string.h>

static void set_defaults(gw_config *config) {
    gw_family_of(GW_FAMILY_BIGBIRD)->set_defaults(config);
    config->head = GW_HEAD_GENERATION;
    config->decoder_layers = config->layers;
}

// The decoder's object: what the tensors are shared by must be the same.
static gw_status check_decoder(const gw_config_reader *r) {
    static const char *const same[] = {"model_type",
                                       "vocab_size",
                                       "hidden_size",
                                       "num_hidden_layers",
                                       "num_attention_heads",
                                       "intermediate_size",
                                       "max_position_embeddings",
                                       "type_vocab_size",
                                       "hidden_act",
                                       "use_bias",
                                       "rescale_embeddings",
                                       "layer_norm_eps"};
    const json_t *decoder = json_object_get(r->whole, "decoder");
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (json_object_get(decoder, same[i]) && json_object_get(r->json, same[i]) &&
            !json_equal(json_object_get(decoder, same[i]), json_object_get(r->json, same[i])))
            return gw_fail(
                GW_ERR_UNSUPPORTED,
                "%s: \"%s\" of the decoder differs from the encoder's; only a decoder that shares the encoder's "
                "tensors is supported",
                r->path, same[i]);
    return json_is_object(decoder) ? GW_OK : gw_fail(GW_ERR_FORMAT, "%s: \"decoder\" is not an object", r->path);
}

static gw_status read(const gw_config_reader *r) {
    gw_config *config = r->config;
    const char *type = NULL;
    GW_TRY(gw_config_read_absolute(r));
    GW_TRY(gw_json_string(r->json, r->path, "model_type", true, &type));
    if (strcmp(type, "big_bird") != 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"model_type\" of the encoder is \"%s\"; only big_bird is supported",
                       r->path, type);
    GW_TRY(check_decoder(r));
    GW_TRY(gw_family_of(GW_FAMILY_BIGBIRD)->read(r));
    config->decoder_layers = config->layers;
    config->decoder_heads = config->heads;
    config->decoder_feed_forward = config->feed_forward;
    const json_t *decoder = json_object_get(r->whole, "decoder");
    GW_TRY(gw_json_int(decoder, r->path, "bos_token_id", false, 0, config->vocabulary - 1, &config->decoder_start));
    GW_TRY(gw_json_int(decoder, r->path, "eos_token_id", false, 0, config->vocabulary - 1, &config->end));
    GW_TRY(gw_json_int(r->whole, r->path, "decoder_start_token_id", false, 0, config->vocabulary - 1,
                       &config->decoder_start));
    return gw_json_int(r->whole, r->path, "eos_token_id", false, 0, config->vocabulary - 1, &config->end);
}

// The fields so far become those of both objects.
static void write(json_t *json, const gw_config *config) {
    static const char *const whole[] = {"architectures", "model_type", "tie_word_embeddings", "torch_dtype"};
    gw_bigbird_write(json, config);
    json_object_del(json, "bos_token_id");
    json_object_del(json, "eos_token_id");
    json_t *encoder = json_copy(json);
    json_object_clear(json);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        json_object_set(json, whole[i], json_object_get(encoder, whole[i]));
        json_object_del(encoder, whole[i]);
    }
    json_object_set_new(encoder, "model_type", json_string(gw_family_of(GW_FAMILY_BIGBIRD)->model_type));
    json_object_set_new(encoder, "attention_probs_dropout_prob", json_real(0));
    json_object_set_new(encoder, "bos_token_id", json_integer(config->decoder_start));
    json_object_set_new(encoder, "eos_token_id", json_integer(config->end));
    json_t *decoder = json_copy(encoder);
    json_object_set_new(decoder, "attention_type", json_string("original_full"));
    json_object_set_new(decoder, "is_decoder", json_true());
    json_object_set_new(decoder, "add_cross_attention", json_true());
    json_object_set_new(json, "encoder", encoder);
    json_object_set_new(json, "decoder", decoder);
    json_object_set_new(json, "is_encoder_decoder", json_true());
    json_object_set_new(json, "tie_encoder_decoder", json_true());
    json_object_set_new(json, "decoder_start_token_id", json_integer(config->decoder_start));
    json_object_set_new(json, "eos_token_id", json_integer(config->end));
    json_object_set_new(json, "pad_token_id", json_integer(config->pad));
}

static void describe(gw_builder *b) {
    gw_transformer of = gw_bert();
    of.prefix = "encoder.";
    of.pooler = "pooler";
    of.transform = "decoder.cls.predictions.transform.dense";
    of.transform_norm = "decoder.cls.predictions.transform.LayerNorm";
    of.words = "decoder.cls.predictions";
    of.decoder_layers = "decoder.bert.encoder.layer";
    of.cross = (gw_attention_names){"crossattention.self.query", "crossattention.self.key", "crossattention.self.value",
                                    "crossattention.output.dense", "crossattention.output.LayerNorm"};
    of.twin = "decoder.bert.";
    of.order = GW_DROPOUT_THEN_NORM;
    of.pools_always = true;
    gw_describe_transformer(b, &of);
}

const gw_family_row gw_family_bigbird_shared = {
    .model_type = "encoder-decoder",
    .prefix = "EncoderDecoderModel",
    .set_defaults = set_defaults,
    .read = read,
    .write = write,
    .agrees = gw_bigbird_agrees,
    .computes = gw_bigbird_computes,
    .describe = describe,
};
