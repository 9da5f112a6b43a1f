// SPDX-License-Identifier: MIT
// Several networks of one architecture in one model: their members, whose class probabilities are averaged.
//
// Such a model has a config and a tokenizer, and no tensors of its own. Its folder names their number ("members" of
// "godwit" in config.json), and its weights hold the tensors of the i-th as members.<i>.<name>.
#ifndef GW_MODEL_MEMBERS_H
#define GW_MODEL_MEMBERS_H

#include "model/model.h"

// The name of a member's tensor in a file.
void gw_member_name(int member, const char *name, char out[GW_PARAMETER_NAME]);

// A model of `count` members of the same architecture, which it takes over, also on failure; one is a model as it is.
gw_status gw_model_join(gw_model **members, int count, gw_model **out) GW_MUST_CHECK;

// Of a model of members its i-th, of any other (i 0) itself; and how many there are so.
gw_model *gw_model_member(gw_model *model, int member);
int gw_model_member_count(const gw_model *model);

#endif
