// SPDX-License-Identifier: MIT
// Backward steps that carry differences in the place of slopes (DeepLIFT's rescale rule; Shrikumar et al., 2017).
//
// The batch holds sequences and, behind them, as many references of the same lengths. With x, y what goes into a step
// and comes out of it, and x', y' the same of the reference, the multiplier is (y - y') / (x - x'), of both halves,
// where |x - x'| is 1e-6 or more, else the slope: activations and affine norms with one. Of the largest of a window
// (pooling) max(y, y') - y' is the part of the place that is largest in the sequence, y - max(y, y') that of the place
// that is largest in the reference. All else is linear, or keeps its slope.
#ifndef GW_NN_RESCALE_H
#define GW_NN_RESCALE_H

#include "nn/plan.h"

// For gw_plan_backward_from(), of memory that the host shares.
gw_status gw_rescale_backward(const gw_run *run, const gw_step *step);
// The same with all slopes as they are.
gw_status gw_slope_backward(const gw_run *run, const gw_step *step);

#endif
