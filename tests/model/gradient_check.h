// SPDX-License-Identifier: MIT
// Gradients of a network against central differences of the reference.
#ifndef GW_TESTS_MODEL_GRADIENT_CHECK_H
#define GW_TESTS_MODEL_GRADIENT_CHECK_H

#include "reference_model.h"

extern const reference_scales check_scales;

// The weights of a model in double precision; free() them.
double *check_double_weights(const gw_model *model);
// The losses of a forward pass; the pass must succeed.
gw_losses check_forward(gw_network *network, const gw_batch *batch);
void check_backward(gw_network *network); // with check_scales
// Runs a network backward and checks gw_network_last_write() for each parameter.
void check_finals(gw_network *network, const float *scale);
double check_norm(const float *values, int64_t count);

// Runs a training network forward and backward. Expects the loss of the reference, and for every `wanted` tensor (NULL:
// all) the gradient from the reference's differences. `name` is for messages.
void check_gradients(const char *name, gw_model *model, gw_network *network, const gw_batch *batch, uint64_t seed,
                     bool (*wanted)(const gw_parameter *parameter));

#endif
