// SPDX-License-Identifier: MIT
// Which tensors a model has, by their roles and by their Hugging Face names.
#ifndef GW_MODEL_NAMES_H
#define GW_MODEL_NAMES_H

#include "model/config.h"
#include "model/parameters.h"

// Lists the tensors of a config in the order of the network and places them in a block; `weight` is left NULL. Free
// with gw_parameters_free().
gw_status gw_parameters_make(const gw_config *config, gw_parameters *out) GW_MUST_CHECK;
// Whether the architecture computes anything with its pooler; some have one and do not.
bool gw_head_reads_pooler(const gw_config *config);
// What stands before names of the encoder: "bert.", "" where it is bare.
const char *gw_encoder_prefix(const gw_config *config);
// What the config's family calls the tensor that BERT calls so, without its layer, ".weight" and ".bias":
// "lm_head.dense".
const char *gw_family_stem(const gw_config *config, const char *stem);

// The list in the making, to which heads append their tensors by BERT's stems: a weight [out][in] with its bias [out],
// a norm's pair [width], a bias alone.
typedef struct gw_tensor_list gw_tensor_list;
void gw_list_linear(gw_tensor_list *list, gw_role role, const char *stem, int64_t out, int64_t in);
void gw_list_norm(gw_tensor_list *list, gw_role role, const char *stem);
void gw_list_weight(gw_tensor_list *list, gw_role role, const char *stem, int64_t out, int64_t in);
// A weight [out][1] that begins at 1 and does not decay.
void gw_list_slopes(gw_tensor_list *list, gw_role role, const char *stem, int64_t out);
void gw_list_bias(gw_tensor_list *list, gw_role role, const char *stem, int64_t count);
// All of a decoder.
void gw_list_decoder(gw_tensor_list *list);

#endif
