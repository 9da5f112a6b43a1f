// SPDX-License-Identifier: MIT
// A batch norm of fixed statistics, with the leaky ReLU behind it, as a plan entry.
#ifndef GW_NN_AFFINE_H
#define GW_NN_AFFINE_H

#include "nn/layers.h"

// max(z, slope z) with z = in * weight + bias, per column. slope 1: z.
gw_tensor gw_plan_affine(gw_plan *plan, gw_tensor in, gw_norm affine, double slope);

#endif
