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

// What files call the tensors of a model: with or without the encoder's prefix, by older names, by a tied twin's.

// The tensor of the list that a file calls so, or the first of those that a stored tensor holds, or NULL. Names are
// tried as they are, older ones (LayerNorm.gamma and beta), with and without the prefix of encoders, and as aliases;
// *alias says whether it was one of these.
const gw_parameter *gw_stored_parameter(const gw_parameters *list, const char *stored, bool *alias);
// True for what nothing reads: position_ids, token_type_ids, inv_freq of rotary positions where the family does not
// read them, learned positions beside rotary ones, the pooler of a decoder.
bool gw_stored_is_buffer(const gw_config *config, const char *stored);
// True for a layer's layout of sparse attention; *layer is its layer, -1 where the name holds none.
bool gw_stored_is_layout(const char *stored, int *layer);
// Sets *known where the tensor belongs to another head of the config's family.
gw_status gw_stored_of_other_head(const gw_config *config, const char *stored, bool *known) GW_MUST_CHECK;
// The head of a folder whose config.json names no architecture: the one most of whose tensors are there, and how many
// labels they have; 0 where the head has none. Several heads that call theirs alike are an error.
gw_status gw_stored_head(const gw_checkpoint *stored, const char *folder, const gw_config *config, gw_head *head,
                         int64_t *labels) GW_MUST_CHECK;

#endif
