// SPDX-License-Identifier: MIT
// Updates of the weights, after clipping by the norm of the whole gradient: Adam with decoupled weight decay, LAMB,
// whose steps are relative to each tensor's size, or Adafactor, which keeps of a matrix's second moments their means
// over rows and over columns alone.
#ifndef GW_RUN_OPTIMISER_H
#define GW_RUN_OPTIMISER_H

#include "base/status.h"
#include "model/model.h"
#include "run/slices.h"

#include <stdint.h>

typedef enum { GW_OPTIMISER_ADAM, GW_OPTIMISER_ADAFACTOR, GW_OPTIMISER_LAMB } gw_optimiser_kind;
#define GW_OPTIMISERS "adam|adafactor|lamb"

typedef struct {
    gw_optimiser_kind kind;
    bool split;     // each rank keeps a slice of Adam's moments and updates those weights (ZeRO, stage 1)
    double clip;    // largest norm of the gradient; 0: none
    double epsilon; // beside the root of Adam's second moment; in Adafactor's squares
    // of Adam and LAMB
    double beta1, beta2;
    double decay; // of matrices, not of biases and layer norms
    // of Adafactor
    double decay_power; // the second moments move at the rate 1 - t^-decay_power in update t = 1, 2 ...
    double threshold;   // largest root mean square of a tensor's update before the rate
    double least_size;  // the rate is times that of the tensor's weights, at least this; 0: as it is
} gw_optimiser_options;

// Of Adam and LAMB.
#define GW_OPTIMISER_DEFAULTS                                                                                          \
    { .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-6, .decay = 0.01, .clip = 1 }
gw_optimiser_options gw_optimiser_defaults(void);
// As Big Bird and Pegasus use it, by tensor2tensor's defaults: 0.8, 1, 1e-3, 1e-30, no clipping by the norm.
gw_optimiser_options gw_optimiser_adafactor(void);
const char *gw_optimiser_name(gw_optimiser_kind kind); // "Adam"

// Moments on the device that has the parameters: of Adam and LAMB those of `own` weights, in the layout of
// [parameters.floats]; of Adafactor no first ones, and the second ones tensor by tensor.
typedef struct {
    gw_optimiser_options options;
    gw_slice own; // all, where moments are not split
    gw_mirror first_moment, second_moment;
    gw_mirror norm;    // gw_gradient_norm of the last step
    gw_mirror scratch; // of Adafactor
    float *piece;      // [GW_SLICE_PIECE] of updated weights on their way to all ranks; NULL: moments are not split
} gw_optimiser;

gw_status gw_optimiser_new(gw_optimiser *optimiser, const gw_optimiser_options *options,
                           gw_parameters *parameters) GW_MUST_CHECK;
void gw_optimiser_free(gw_optimiser *optimiser);
// `gradient` is of the device. Update number `step` (0, 1, ...) at this learning rate; *norm is the gradient's norm
// before clipping. A gradient that is not finite is an error, and changes nothing. With split moments all ranks call
// it, and have the same weights afterwards as each would have made alone.
gw_status gw_optimiser_step(gw_optimiser *optimiser, gw_parameters *parameters, const float *gradient, int64_t step,
                            double rate, double *norm) GW_MUST_CHECK;

#endif
