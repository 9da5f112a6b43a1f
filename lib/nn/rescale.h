// SPDX-License-Identifier: MIT
// Backward steps with differences instead of slopes (DeepLIFT's rescale rule; Shrikumar et al., 2017).
//
// The batch holds sequences, followed by as many references of the same lengths. x, y are input and output of a step,
// and x', y' those of the reference. For activations and affine norms with an activation, the multiplier of both halves
// is (y - y') / (x - x') if |x - x'| is at least 1e-6, else the slope. For max pooling, the part max(y, y') - y'
// belongs to the largest position of the sequence, and y - max(y, y') to that of the reference. All other steps are
// linear or keep their slope.
#ifndef GW_NN_RESCALE_H
#define GW_NN_RESCALE_H

#include "nn/plan.h"

// For gw_plan_backward_from(), on a backend that uses host memory.
gw_status gw_rescale_backward(const gw_run *run, const gw_step *step);
// The same with all slopes unchanged.
gw_status gw_slope_backward(const gw_run *run, const gw_step *step);

#endif
