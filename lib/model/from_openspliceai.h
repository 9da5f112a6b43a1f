// SPDX-License-Identifier: MIT
// State dicts of torch as models: OpenSpliceAI's (Chao et al., 2024), and those of the networks of SpliceAI's
// architecture that deCODE trained for Spliceformer (Jónsson et al., 2024).
#ifndef GW_MODEL_FROM_OPENSPLICEAI_H
#define GW_MODEL_FROM_OPENSPLICEAI_H

#include "model/model.h"

// Reads a state dict, or all of a folder (its files named *.pt, in order of name) as members of one model:
// model/splice_weights.h.
gw_status gw_model_from_openspliceai(const char *path, gw_model **out) GW_MUST_CHECK;
gw_status gw_model_from_spliceformer(const char *path, gw_model **out) GW_MUST_CHECK;

#endif
