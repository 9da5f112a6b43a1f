// SPDX-License-Identifier: MIT
// The whole model in double precision with dense attention, made from the ops of reference/, for comparison with
// networks.
#ifndef GW_TESTS_MODEL_REFERENCE_MODEL_H
#define GW_TESTS_MODEL_REFERENCE_MODEL_H

#include "network/network.h"

// Factors of losses: of the head's own row set, and of other row sets.
typedef struct {
    double own, label;
} reference_scales;

// Destinations of results; NULL: not wanted.
typedef struct {
    double *hidden; // [tokens][E] of the last layer
    double *after;  // [layers + 1][tokens][E] of the embeddings and of each layer
    double *pooled; // [sequences][E] of a bare model
    double *logits; // of the model's head; [masked][V] for the pretraining heads
    double *pair;   // [sequences][2]
} reference_outputs;

// The scaled loss of a batch. `weight` has the layout of the model's parameters. If the config's dropouts are above 0,
// they are drawn as in a training network with this seed.
double reference_loss(const gw_model *model, const double *weight, const gw_batch *batch, uint64_t seed,
                      reference_scales scales, const reference_outputs *outputs);

#endif
