// SPDX-License-Identifier: MIT
// How models come about: steps that making and loading share.
#ifndef GW_MODEL_MODEL_PARTS_H
#define GW_MODEL_MODEL_PARTS_H

#include "model/model.h"
#include "store/checkpoint.h"

// A model without its tensors: the config with what the tokenizer says, and the tokenizer, which it takes over, also on
// failure.
gw_status gw_model_begin(const gw_config *config, gw_tokenizer *tokenizer, gw_model **out) GW_MUST_CHECK;
// Allocates what the list of parameters asks for, as zeros.
gw_status gw_model_allocate(gw_model *model) GW_MUST_CHECK;
// As gw_model_new(), but without the layout that the config may ask for.
gw_status gw_model_fresh(const gw_config *config, gw_tokenizer *tokenizer, uint64_t seed, gw_model **out) GW_MUST_CHECK;

// The weights alone, the layout with them.
gw_status gw_model_write_weights(const gw_model *model, const char *path, gw_store_type type) GW_MUST_CHECK;

// Whether the attention reads only the blocks of a layout, which stands in checkpoints alone.
bool gw_config_has_layout(const gw_config *config);
// Reads model->layout: [heads][blocks][blocks] of 0 and 1 for every layer, blocks being positions / block.
gw_status gw_layout_read(const gw_checkpoint *stored, const char *folder, gw_model *model) GW_MUST_CHECK;
gw_status gw_layout_copy(const gw_layout *layout, gw_layout **out) GW_MUST_CHECK; // NULL of NULL
void gw_layout_free(gw_layout *layout);

#endif
