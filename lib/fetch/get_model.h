// SPDX-License-Identifier: MIT
// Models from elsewhere among those that are known by their names.
#ifndef GW_FETCH_GET_MODEL_H
#define GW_FETCH_GET_MODEL_H

#include "base/status.h"

typedef struct {
    const char *source;        // a name of the catalogue (fetch/catalogue.h) or of the hub ("hf:..."), or a URL
    const char *as;            // the name that the model gets; NULL: its own
    const char *kind, *sha256; // of a URL: whose weights they are (model/foreign.def), and the file's checksum
    const char *member; // of a tar archive: a part of the name of the network that is taken; NULL: the first by name
} gw_get_options;

// Fetches, checks and converts a model and puts it, whole or not at all, into the user's folder of models with a card
// and sources.tsv. One that is there stays. What was fetched of a run that fails stays beside it, for the next one.
gw_status gw_get_model(const gw_get_options *options) GW_MUST_CHECK;

#endif
