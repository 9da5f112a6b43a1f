// SPDX-License-Identifier: MIT
// Stored tensors that hold several of a model's, one below the other, and those by the names that they have here.
#ifndef GW_MODEL_FUSED_H
#define GW_MODEL_FUSED_H

#include "model/config.h"
#include "model/parameters.h"

// How many tensors the stored one of that name holds ("layers.0.attn.Wqkv.weight": 3); 1 where it is one of its own.
int gw_fused_parts(gw_family family, const char *stored);
// What the part-th of these is called here: "layers.0.attn.Wqkv.query.weight"; the stored name where it is one.
void gw_fused_part(gw_family family, const char *stored, int part, char name[GW_PARAMETER_NAME]);
// The stored name of the tensor that holds the one called so, and which of how many parts that is: 0 of 1 where it is
// stored as it is.
void gw_fused_into(gw_family family, const char *name, char stored[GW_PARAMETER_NAME], int *part, int *parts);

#endif
