// SPDX-License-Identifier: MIT
// Attention in time of the rows: weights are products of features that are never negative (Katharopoulos et al., 2020).
#ifndef GW_NN_LINEAR_ATTENTION_H
#define GW_NN_LINEAR_ATTENTION_H

#include "nn/plan.h"

// Of a stream's rows, which read those of their sequence, causal: those up to themselves. query and key
// [rows][heads features], value [rows][heads D]
gw_tensor gw_plan_linear_attention(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value, int heads,
                                   bool causal);

#endif
