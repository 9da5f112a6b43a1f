// SPDX-License-Identifier: MIT
// Networks of dilated convolutions over single bases that give each base classes: SpliceAI (Jaganathan et al., 2019)
// and OpenSpliceAI. All they compute is a stem (nn/stem.h) on embedded letters, without norms around it.
#include "model/config_reader.h"
#include "model/family.h"

const gw_family_row gw_family_splice = {
    .model_type = "godwit",
    .prefix = "Splice",
    .usual_head = GW_HEAD_TOKEN,
    .vocabulary = 10,
    .positions = 1024,
    .separator = -1,
    .activation = GW_ACTIVATION_RELU,
    .pattern = {.block = 64, .full = true},
    .rotary = true,
    .stem = true,
    .splices = true,
    .scales_by_inputs = true,
    .plain_embedding = true,
    .read = gw_config_read_stem,
    .encoder = "splice.",
    .end = -1,
};
