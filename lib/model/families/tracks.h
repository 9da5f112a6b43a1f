// SPDX-License-Identifier: MIT
// Functions that families of track networks (gw_tracks of model/family.h) share: reading of config.json and folders,
// and heads for two species.
#ifndef GW_MODEL_FAMILIES_TRACKS_H
#define GW_MODEL_FAMILIES_TRACKS_H

#include "model/family.h"
#include "model/state_dict.h"

extern const gw_config_field gw_track_fields[]; // BERT's fields that they lack
void gw_track_defaults(gw_config *config);      // except the positions

// Tracks of human, then tracks of mouse, each from a linear layer with its name; a species without tracks is skipped.
gw_tensor gw_build_track_heads(gw_builder *b, gw_tensor x, const char *const names[2], const int64_t counts[2]);
// Names the tracks "human_0" and so on, then "mouse_0", with the numbers of the authors' target tables.
gw_status gw_name_species(gw_config *config, int64_t human, int64_t mouse) GW_MUST_CHECK;

// A folder of another program: `read` reads config.json; `settle` sets missing values from the weights; `layout` gives
// the names of the tensors.
typedef struct {
    gw_family family;
    gw_status (*read)(const char *path, gw_config *config);
    gw_status (*settle)(const gw_checkpoint *stored, gw_config *config);
    const gw_state_dict_layout *(*layout)(const gw_checkpoint *stored);
} gw_track_folder_kind;

gw_status gw_model_from_track_folder(const gw_track_folder_kind *kind, const char *path, gw_model **out) GW_MUST_CHECK;

#endif
