// SPDX-License-Identifier: MIT
// SpliceAI's Keras models (Jaganathan et al., 2019) as models.
#ifndef GW_MODEL_FROM_SPLICEAI_H
#define GW_MODEL_FROM_SPLICEAI_H

#include "model/model.h"

// Reads a model that Keras wrote as HDF5, or all of a folder (its files named *.h5, in order of name) as members of one
// model: model/splice_weights.h. Norms add Keras' 1e-3 to variances.
gw_status gw_model_from_spliceai(const char *path, gw_model **out) GW_MUST_CHECK;

#endif
