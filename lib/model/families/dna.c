// SPDX-License-Identifier: MIT
// Models of single bases, which godwit alone computes: a convolutional stem ("stem" in config.json's "godwit" object,
// nn/stem.h) around an encoder with norms before its sublayers and rotary positions.
#include "model/config_reader.h"
#include "model/family.h"

const gw_family_row gw_family_dna = {
    .model_type = "godwit",
    .prefix = "Godwit",
    .usual_head = GW_HEAD_MASKED,
    .vocabulary = 10,
    .positions = 1024,
    .separator = -1,
    .activation = GW_ACTIVATION_GELU,
    .pattern = {.block = 64, .full = true},
    .rotary = true,
    .stem = true,
    .pre_norm = true,
    .scales_by_inputs = true,
    .pooling = GW_SEQUENCE_MEAN,
    .read = gw_config_read_stem,
    .encoder = "godwit.",
    .dense_labels = true,
    .order = GW_NORM_THEN_DROPOUT,
    .mask_activation = GW_ACTIVATION_GELU,
    .dense_activation = GW_ACTIVATION_GELU,
    .end = -1,
};
