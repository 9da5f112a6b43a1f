// SPDX-License-Identifier: MIT
// ESM as transformers' modeling_esm, and the Nucleotide Transformer's first models: norms before the sublayers and at
// the end, rotary or learned positions, and embeddings rescaled beside masked tokens (token_dropout). Its activations
// are GELU for any hidden_act, and embeddings have no dropout.
#include "model/config_reader.h"
#include "model/family.h"

static void set_defaults(gw_config *config) {
    config->head = GW_HEAD_MASKED;
    config->vocabulary = 33;
    config->positions = 1026;
    config->pad = 1;
    config->segments = 1;
    config->pre_norm = config->last_norm = true;
    config->embedding_norm = false;
}

static gw_status read(const gw_config_reader *r) {
    // What would be another computation; models with the last two have code of their own beside them.
    static const char *const keys[] = {"is_folding_model", "add_bias_fnn", "add_bias_ffn"};
    gw_config *config = r->config;
    bool folds = false;
    GW_TRY(gw_json_bool(r->json, r->path, "tie_word_embeddings", false, &config->tied));
    GW_TRY(gw_config_read_rotary(r));
    GW_TRY(gw_json_bool(r->json, r->path, keys[0], false, &folds));
    if (folds) return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"%s\" is true; only false is supported", r->path, keys[0]);
    for (int i = 1; i < 3; i++)
        if (gw_config_has(r, keys[i]))
            return gw_fail(
                GW_ERR_UNSUPPORTED,
                "%s: \"%s\": only the model's own code can compute its feed-forward layers, so godwit cannot run it",
                r->path, keys[i]);
    GW_TRY(gw_json_bool(r->json, r->path, "emb_layer_norm_before", false, &config->embedding_norm));
    GW_TRY(gw_json_bool(r->json, r->path, "token_dropout", false, &config->token_dropout));
    GW_TRY(gw_config_int(r, "mask_token_id", 0, config->vocabulary - 1, &config->mask));
    if (!config->token_dropout || config->mask >= 0) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: \"token_dropout\" is true without \"mask_token_id\"", r->path);
}

static void write(json_t *json, const gw_config *config) {
    json_object_set_new(json, "emb_layer_norm_before", json_boolean(config->embedding_norm));
    json_object_set_new(json, "token_dropout", json_boolean(config->token_dropout));
    if (config->mask >= 0) json_object_set_new(json, "mask_token_id", json_integer(config->mask));
    if (config->rotary > 0) json_object_set_new(json, "rope_theta", json_real(config->rotary_base));
}

static const gw_config_field fields[] = {
    {"hidden_act", NULL},
    {"type_vocab_size", NULL},
    {"classifier_dropout", NULL},
    {"sep_token_id", NULL},
    {"rotary_base", "rope_theta"},
    {"rotary_dim", NULL},
    {0},
};

static void describe(gw_builder *b) {
    gw_transformer of = gw_bert();
    of.prefix = "esm.";
    of.segments = NULL;
    of.embedding_norm = "embeddings.layer_norm";
    of.frequencies = "rotary_embeddings.inv_freq";
    of.attention.norm = "attention.LayerNorm";
    of.output_norm = "LayerNorm";
    of.last_norm = "encoder.emb_layer_norm_after";
    of.contacts = "contact_head.regression";
    of.transform = "lm_head.dense";
    of.transform_norm = "lm_head.layer_norm";
    of.words = "lm_head";
    of.words_weight = "lm_head.decoder";
    of.questions = NULL;
    of.order = GW_NORM_ALONE;
    of.labels = GW_LABELS_OF_DENSE;
    of.dense_activation = GW_ACTIVATION_TANH;
    gw_describe_transformer(b, &of);
}

const gw_family_row gw_family_esm = {
    .model_type = "esm",
    .prefix = "Esm",
    .fields = fields,
    .set_defaults = set_defaults,
    .read = read,
    .write = write,
    .first_position = gw_position_after_pad,
    .describe = describe,
};
