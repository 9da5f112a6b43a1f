// SPDX-License-Identifier: MIT
// Models of single bases that only godwit computes: a convolutional stem ("stem" in config.json's "godwit" object,
// nn/stem.h) around an encoder with norms before its sublayers and rotary positions.
#include "model/config_reader.h"
#include "model/family.h"

static void set_defaults(gw_config *config) {
    config->head = GW_HEAD_MASKED;
    config->vocabulary = 10;
    config->positions = 1024;
    config->segments = 1; // single bases come without pairs
    config->activation = GW_ACTIVATION_GELU;
    config->pre_norm = config->last_norm = true;
    config->pooling = GW_SEQUENCE_MEAN;
}

static void describe(gw_builder *b) {
    gw_transformer of = gw_bert();
    gw_name_stem(&of);
    of.prefix = "godwit.";
    of.labels = GW_LABELS_OF_DENSE;
    of.mask_activation = of.dense_activation = GW_ACTIVATION_GELU;
    of.drawn_by = GW_DRAWN_BY_INPUTS;
    gw_describe_transformer(b, &of);
}

const gw_family_row gw_family_dna = {
    .model_type = "godwit",
    .prefix = "Godwit",
    .set_defaults = set_defaults,
    .read = gw_config_read_bases,
    .describe = describe,
};
