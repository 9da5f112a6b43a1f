// SPDX-License-Identifier: MIT
// Steps that making and loading models share.
#ifndef GW_MODEL_MODEL_PARTS_H
#define GW_MODEL_MODEL_PARTS_H

#include "model/config.h"
#include "model/model.h"
#include "model/parameters.h"
#include "store/checkpoint.h"

#include <stdbool.h>

// Makes a model without tensors: the config, completed from the tokenizer, and the tokenizer. Takes ownership of the
// tokenizer, also after a failure.
gw_status gw_model_begin(const gw_config *config, gw_tokenizer *tokenizer, gw_model **out) GW_MUST_CHECK;
// Allocates the listed parameters, zeroed.
gw_status gw_model_allocate(gw_model *model) GW_MUST_CHECK;

// Writes only the weights, including the layout.
gw_status gw_model_write_weights(const gw_model *model, const char *path, gw_store_type type) GW_MUST_CHECK;

// Whether attention reads only the blocks of a layout. A layout is stored only in checkpoints.
bool gw_config_has_layout(const gw_config *config);
// Makes a layout of these sizes with zero cells. It is freed with its model, also after a failure.
gw_status gw_layout_make(const gw_layout *sizes, gw_layout **out) GW_MUST_CHECK;

#endif
