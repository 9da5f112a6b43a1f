// SPDX-License-Identifier: MIT
// OpenSpliceAI's state dicts (Chao et al., 2024) as models.
#ifndef GW_MODEL_FROM_OPENSPLICEAI_H
#define GW_MODEL_FROM_OPENSPLICEAI_H

#include "model/model.h"

// Reads a state dict, or all of a folder (its files named *.pt, in order of name) as members of one model:
// model/splice_weights.h.
gw_status gw_model_from_openspliceai(const char *path, gw_model **out) GW_MUST_CHECK;

#endif
