// SPDX-License-Identifier: MIT
// What the families of networks of tracks (gw_tracks of model/family.h) share of config.json.
#ifndef GW_MODEL_FAMILIES_TRACKS_H
#define GW_MODEL_FAMILIES_TRACKS_H

#include "model/family.h"

extern const gw_config_field gw_track_fields[]; // of BERT they have none
void gw_track_defaults(gw_config *config);      // but for the positions

#endif
