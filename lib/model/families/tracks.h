// SPDX-License-Identifier: MIT
// What the families of networks of tracks (gw_tracks of model/family.h) share: of config.json, heads of two species,
// and how their folders are read.
#ifndef GW_MODEL_FAMILIES_TRACKS_H
#define GW_MODEL_FAMILIES_TRACKS_H

#include "model/family.h"
#include "model/state_dict.h"

extern const gw_config_field gw_track_fields[]; // of BERT they have none
void gw_track_defaults(gw_config *config);      // but for the positions

// Tracks of human and behind them those of mouse, each by a linear layer of its name; one of none is left out.
gw_tensor gw_build_track_heads(gw_builder *b, gw_tensor x, const char *const names[2], const int64_t counts[2]);
// Names as many tracks "human_0" and so on, "mouse_0", as the authors' tables of targets number them.
gw_status gw_name_species(gw_config *config, int64_t human, int64_t mouse) GW_MUST_CHECK;

// A folder of another program: config.json, whose path `read` takes, and weights, by which `settle` sets what the other
// does not say; their layout.
typedef struct {
    gw_family family;
    gw_status (*read)(const char *path, gw_config *config);
    gw_status (*settle)(const gw_checkpoint *stored, gw_config *config);
    const gw_state_dict_layout *(*layout)(const gw_checkpoint *stored);
} gw_track_folder_kind;

gw_status gw_model_from_track_folder(const gw_track_folder_kind *kind, const char *path, gw_model **out) GW_MUST_CHECK;

#endif
