// SPDX-License-Identifier: MIT
// What families call tensors.
#ifndef GW_MODEL_NAMES_H
#define GW_MODEL_NAMES_H

#include "model/config.h"
#include "model/parameters.h"

// Whether the architecture computes anything with its pooler; some have one and do not.
bool gw_head_reads_pooler(const gw_config *config);
// What stands before names of the encoder: "bert.", "" where it is bare.
const char *gw_encoder_prefix(const gw_config *config);
// What the config's family calls the tensor that BERT calls so, without its layer, ".weight" and ".bias":
// "lm_head.dense".
const char *gw_family_stem(const gw_config *config, const char *stem);
// The stored name of the tensor that holds the one called so, and which of how many parts that is: 0 of 1 where it is
// stored as it is.
void gw_fused_into(gw_family family, const char *name, char stored[GW_PARAMETER_NAME], int *part, int *parts);

#endif
