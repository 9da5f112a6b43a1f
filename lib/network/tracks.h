// SPDX-License-Identifier: MIT
// Which tracks of a model are computed, and what they are called.
#ifndef GW_NETWORK_TRACKS_H
#define GW_NETWORK_TRACKS_H

#include "model/model.h"

// Names a model's tracks by a table (file/table.h) with a row for each, in order, as Enformer's and Borzoi's
// targets.txt: the column `identifier`, or `name`; where there is a column `description`, it is a part of the name
// behind a colon. A table of another number of rows is an error.
gw_status gw_model_name_tracks(gw_model *model, const char *path) GW_MUST_CHECK;

// Leaves the tracks of a list alone, in the order of the list: names, 0-based numbers, and ~TEXT, which stands for all
// whose name holds the text. What stands for none is an error that names the nearest name. Before weights are fixed.
gw_status gw_model_choose_tracks(gw_model *model, const char *list) GW_MUST_CHECK;

#endif
