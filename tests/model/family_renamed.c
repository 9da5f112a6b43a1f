// SPDX-License-Identifier: MIT
// A family that no model has: BERT under other names, with a field of its own.
#include "model/config_reader.h"
#include "model/family.h"

static gw_status read(const gw_config_reader *r) {
    GW_TRY(gw_config_read_absolute(r));
    return gw_json_bool(r->json, r->path, "scale_words", false, &r->config->rescale);
}

static void write(json_t *json, const gw_config *config) {
    json_object_set_new(json, "scale_words", json_boolean(config->rescale));
}

static void set_defaults(gw_config *config) {
    config->head = GW_HEAD_MASKED;
    config->activation = GW_ACTIVATION_RELU;
}

static void describe(gw_builder *b) {
    gw_transformer of = gw_bert();
    of.prefix = "net.";
    of.attention.query = "mixer.asks";
    of.output_norm = "norm_2";
    of.words = "words";
    gw_describe_transformer(b, &of);
}

const gw_family_row gw_family_renamed = {
    .model_type = "renamed",
    .prefix = "Renamed",
    .set_defaults = set_defaults,
    .read = read,
    .write = write,
    .describe = describe,
};
