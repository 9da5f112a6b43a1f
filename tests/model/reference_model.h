// SPDX-License-Identifier: MIT
// The whole model once more, in double precision with dense attention, from the ops of reference/: what a network is
// held to.
#ifndef GW_TESTS_MODEL_REFERENCE_MODEL_H
#define GW_TESTS_MODEL_REFERENCE_MODEL_H

#include "network/network.h"

// Factors of losses: of the head's own row set, and of any others.
typedef struct {
    double own, label;
} reference_scales;

// Where results go; NULL: nowhere.
typedef struct {
    double *hidden; // [tokens][E] of the last layer
    double *after;  // [layers + 1][tokens][E] of the embeddings and of each layer
    double *pooled; // [sequences][E] of a bare model
    double *logits; // of the model's head; [masked][V] of the pretraining heads
    double *pair;   // [sequences][2]
} reference_outputs;

// The scaled loss of a batch. `weight` has the layout of the model's parameters. Dropout draws as a training network of
// this seed does, where the config's dropouts are above 0.
double reference_loss(const gw_model *model, const double *weight, const gw_batch *batch, uint64_t seed,
                      reference_scales scales, const reference_outputs *outputs);

#endif
