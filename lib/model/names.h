// SPDX-License-Identifier: MIT
// Which tensors a model has, by their roles and by their Hugging Face names.
#ifndef GW_MODEL_NAMES_H
#define GW_MODEL_NAMES_H

#include "model/model.h"

// Lists the tensors of a config in the order of the network and places them in a block; `weight` is left NULL. Free
// with gw_parameters_free().
gw_status gw_parameters_make(const gw_config *config, gw_parameters *out) GW_MUST_CHECK;
// Places the list anew, after some of it was taken out.
void gw_parameters_set_offsets(gw_parameters *parameters);
void gw_parameters_free(gw_parameters *parameters);
const gw_parameter *gw_parameters_find(const gw_parameters *parameters, const char *name);
// The weight or bias of a role, or NULL; `layer` is read for roles that layers have.
const gw_parameter *gw_parameters_role(const gw_parameters *parameters, gw_role role, int layer, bool bias);

bool gw_role_is_norm(gw_role role);
bool gw_role_is_encoder(gw_role role); // not a head's
// Whether the architecture computes anything with its pooler; some have one and do not.
bool gw_head_reads_pooler(const gw_config *config);
// "lm_head.dense": the name of a role's tensor without its layer, ".weight" and ".bias".
const char *gw_role_stem(const gw_config *config, gw_role role);

#endif
