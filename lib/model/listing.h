// SPDX-License-Identifier: MIT
// Which tensors a model has.
#ifndef GW_MODEL_LISTING_H
#define GW_MODEL_LISTING_H

#include "model/config.h"
#include "model/parameters.h"

// Lists the tensors of a config in the order of its description and places them in a block; `weight` is left NULL. Free
// with gw_parameters_free().
gw_status gw_parameters_make(const gw_config *config, gw_parameters *out) GW_MUST_CHECK;

#endif
