// SPDX-License-Identifier: MIT
// A family that no model has: BERT under other names, with a field of its own.
#include "model/config_reader.h"
#include "model/family.h"

static gw_status read(const gw_config_reader *r) {
    return gw_json_bool(r->json, r->path, "scale_words", false, &r->config->rescale);
}

static void write(json_t *json, const gw_config *config) {
    json_object_set_new(json, "scale_words", json_boolean(config->rescale));
}

static const gw_tensor_stem stems[] = {
    {"attention.self.query", "mixer.asks"}, {"output.LayerNorm", "norm_2"}, {"cls.predictions", "words"}, {0}};

const gw_family_row gw_family_renamed = {
    .model_type = "renamed",
    .prefix = "Renamed",
    .usual_head = GW_HEAD_MASKED,
    .vocabulary = 30522,
    .positions = 512,
    .separator = -1,
    .activation = GW_ACTIVATION_RELU,
    .pattern = {.block = 64, .full = true},
    .read = read,
    .write = write,
    .encoder = "net.",
    .stems = stems,
    .order = GW_NORM_THEN_DROPOUT,
};
