// SPDX-License-Identifier: MIT
// OpenSpliceAI's state dicts (Chao et al., 2024) as models.
#ifndef GW_MODEL_FROM_OPENSPLICEAI_H
#define GW_MODEL_FROM_OPENSPLICEAI_H

#include "model/model.h"

// Reads a state dict, or all of a folder (its files named *.pt, in order of name) as members of one model
// (model/members.h). A state dict is one of 4, 8, 12 or 16 residual units (80 to 10,000 nt of context) and becomes a
// model of the family of splicing, with single letters and the classes none, acceptor and donor for each base.
// Statistics of batch norms are joined with their weights: y = a x + b with a = gamma / sqrt(variance + 1e-5), b = beta
// - mean a. Tensors that are missing, of another shape or too many are errors that name them.
gw_status gw_model_from_openspliceai(const char *path, gw_model **out) GW_MUST_CHECK;

#endif
