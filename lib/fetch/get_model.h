// SPDX-License-Identifier: MIT
// Installs models from elsewhere among the models that are available by name.
#ifndef GW_FETCH_GET_MODEL_H
#define GW_FETCH_GET_MODEL_H

#include "base/status.h"

typedef struct {
    const char *source;        // a name of the catalogue (fetch/catalogue.h) or of the hub ("hf:..."), or a URL
    const char *as;            // name to install the model under; NULL: its own name
    const char *kind, *sha256; // for a URL: the format of the weights (model/foreign.def), and the file's checksum
    const char *member;        // of a tar archive: part of the name of the wanted network; NULL: the first by name
} gw_get_options;

// Downloads, checks and converts a model and installs it, whole or not at all, in the user's folder of models, with a
// card and sources.tsv. An installed model stays unchanged. After a failure the downloaded files stay beside the model,
// for the next run.
gw_status gw_get_model(const gw_get_options *options) GW_MUST_CHECK;

#endif
