// SPDX-License-Identifier: MIT
// Linear layers of heads: y_h = W_h x_h + b_h for the head's part of a row.
#ifndef GW_NN_HEAD_LINEAR_H
#define GW_NN_HEAD_LINEAR_H

#include "nn/plan.h"

// in [rows][heads D] -> [rows][heads out]; weight [heads or, shared, 1][out][D], without gradient a constant; bias
// [heads or 1][out] or NULL.
gw_tensor gw_plan_head_linear(gw_plan *plan, gw_tensor in, gw_weight weight, gw_weight bias, int heads, bool shared,
                              int64_t out);

#endif
