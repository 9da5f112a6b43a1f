// SPDX-License-Identifier: MIT
// Which tensors a model has, by their roles and by their Hugging Face names.
#ifndef GW_MODEL_NAMES_H
#define GW_MODEL_NAMES_H

#include "model/model.h"

// Lists the tensors of a config and places them in a block; `weight` is left NULL. Free with gw_parameters_free().
gw_status gw_parameters_make(const gw_config *config, gw_parameters *out) GW_MUST_CHECK;
void gw_parameters_free(gw_parameters *parameters);
const gw_parameter *gw_parameters_find(const gw_parameters *parameters, const char *name);
// The weight or bias of a role, or NULL; `layer` is read for roles that layers have.
const gw_parameter *gw_parameters_role(const gw_parameters *parameters, gw_role role, int layer, bool bias);

bool gw_role_is_norm(gw_role role);
bool gw_role_is_encoder(gw_role role); // not a head's
// "bert.", "roberta.": what stands before the names of the encoder where a head stands on it.
const char *gw_encoder_prefix(gw_family family);

// The other name under which a file may hold the tensor (tied to it in transformers), or NULL.
const char *gw_parameter_twin(const char *name);
// True for tensors of older files that hold nothing learnt (position_ids).
bool gw_parameter_ignored(const char *name);

#endif
