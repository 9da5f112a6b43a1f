// SPDX-License-Identifier: MIT
// Adam with decoupled weight decay and clipping by the norm of the whole gradient.
#ifndef GW_RUN_OPTIMISER_H
#define GW_RUN_OPTIMISER_H

#include "base/status.h"
#include "model/model.h"

#include <stdint.h>

typedef struct {
    double beta1, beta2, epsilon;
    double decay; // of matrices, not of biases and layer norms
    double clip;  // largest norm of the gradient; 0: none
} gw_optimiser_options;

// 0.9, 0.999, 1e-6, 0.01, 1
gw_optimiser_options gw_optimiser_defaults(void);

// Moments in the layout of the parameters: [parameters.floats], on the device that has these.
typedef struct {
    gw_optimiser_options options;
    gw_mirror first_moment, second_moment;
    gw_mirror norm; // gw_gradient_norm of the last step
} gw_optimiser;

gw_status gw_optimiser_new(gw_optimiser *optimiser, const gw_optimiser_options *options,
                           gw_parameters *parameters) GW_MUST_CHECK;
void gw_optimiser_free(gw_optimiser *optimiser);
// `gradient` is of the device. Update number `step` (0, 1, ...) at this learning rate; *norm is the gradient's norm
// before clipping. A gradient that is not finite is an error, and changes nothing.
gw_status gw_optimiser_step(gw_optimiser *optimiser, gw_parameters *parameters, const float *gradient, int64_t step,
                            double rate, double *norm) GW_MUST_CHECK;

#endif
