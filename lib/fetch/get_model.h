// SPDX-License-Identifier: MIT
// Models from elsewhere among those that are known by their names.
#ifndef GW_FETCH_GET_MODEL_H
#define GW_FETCH_GET_MODEL_H

#include "base/status.h"

// Fetches, checks and converts a model of the catalogue (fetch/catalogue.h) or of the hub ("hf:...") and
// puts it, whole or not at all, into the user's folder of models under the name `as` (NULL: its own) with a card and
// sources.tsv. One that is there stays. What was fetched of a run that fails stays beside it, for the next one.
gw_status gw_get_model(const char *source, const char *as) GW_MUST_CHECK;

#endif
