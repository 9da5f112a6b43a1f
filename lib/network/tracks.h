// SPDX-License-Identifier: MIT
// Selection and names of a model's tracks.
#ifndef GW_NETWORK_TRACKS_H
#define GW_NETWORK_TRACKS_H

#include "model/model.h"

// Names the tracks from a table (file/table.h) with one row for each track, in order, such as targets.txt of Enformer
// and Borzoi. The name is in the column `identifier` or `name`. A column `description` is appended behind a colon. A
// table with another number of rows is an error.
gw_status gw_model_name_tracks(gw_model *model, const char *path) GW_MUST_CHECK;

// Keeps only the tracks of a list, in the order of the list. Entries are names, 0-based numbers, and ~TEXT for all
// tracks with the text in their name. An entry without a track is an error that suggests the nearest name. Call this
// before the weights are fixed.
gw_status gw_model_choose_tracks(gw_model *model, const char *list) GW_MUST_CHECK;

#endif
