// SPDX-License-Identifier: MIT
// Weights of other programs' own making as models: one function for each of foreign.def.
#ifndef GW_MODEL_FOREIGN_H
#define GW_MODEL_FOREIGN_H

#include "model/model.h"

// Reads a file of weights, or all of a folder whose names are those of the program's files, in order of name, as
// members of one model: model/splice_weights.h.
#define GW_FOREIGN(name, licence) gw_status gw_model_from_##name(const char *path, gw_model **out) GW_MUST_CHECK;
#include "model/foreign.def"
#undef GW_FOREIGN

#endif
