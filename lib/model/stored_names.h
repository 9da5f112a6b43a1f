// SPDX-License-Identifier: MIT
// What files call the tensors of a model: with or without the encoder's prefix, by older names, by a tied twin's.
#ifndef GW_MODEL_STORED_NAMES_H
#define GW_MODEL_STORED_NAMES_H

#include "model/config.h"
#include "model/parameters.h"
#include "store/checkpoint.h"

#include <stdbool.h>

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
