// SPDX-License-Identifier: MIT
// How models come about: steps that making and loading share.
#ifndef GW_MODEL_MODEL_PARTS_H
#define GW_MODEL_MODEL_PARTS_H

#include "model/config.h"
#include "model/model.h"
#include "model/parameters.h"
#include "store/checkpoint.h"

#include <stdbool.h>

// A model without its tensors: the config with what the tokenizer says, and the tokenizer, which it takes over, also on
// failure.
gw_status gw_model_begin(const gw_config *config, gw_tokenizer *tokenizer, gw_model **out) GW_MUST_CHECK;
// Allocates what the list of parameters asks for, as zeros.
gw_status gw_model_allocate(gw_model *model) GW_MUST_CHECK;

// The weights alone, the layout with them.
gw_status gw_model_write_weights(const gw_model *model, const char *path, gw_store_type type) GW_MUST_CHECK;

// Whether the attention reads only the blocks of a layout, which stands in checkpoints alone.
bool gw_config_has_layout(const gw_config *config);
// A layout of these sizes, whose cells are zero; freed with its model, also on failure.
gw_status gw_layout_make(const gw_layout *sizes, gw_layout **out) GW_MUST_CHECK;

#endif
