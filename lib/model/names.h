// SPDX-License-Identifier: MIT
// What families call tensors.
#ifndef GW_MODEL_NAMES_H
#define GW_MODEL_NAMES_H

#include "model/config.h"

// Whether the architecture computes anything with its pooler; some have one and do not.
bool gw_head_reads_pooler(const gw_config *config);
// What stands before names of the encoder: "bert.", "" where it is bare.
const char *gw_encoder_prefix(const gw_config *config);
// What the config's family calls the tensor that BERT calls so, without its layer, ".weight" and ".bias":
// "lm_head.dense".
const char *gw_family_stem(const gw_config *config, const char *stem);

#endif
