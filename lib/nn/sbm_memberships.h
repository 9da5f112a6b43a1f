// SPDX-License-Identifier: MIT
// Steps that make what sbm.h draws graphs from: Y or Z, and B.
#ifndef GW_NN_SBM_MEMBERSHIPS_H
#define GW_NN_SBM_MEMBERSHIPS_H

#include "nn/layers.h"

typedef struct {
    gw_linear nodes, nodes_last; // W_1, W_2 [heads D][D] and biases, or of one head that all share
    gw_weight clusters;          // C [heads K][D]
} gw_sbm_weights;

typedef struct {
    int heads, clusters;
    bool shared; // one network for all heads
} gw_sbm_size;

// Y of queries or Z of keys: [rows][heads K]
gw_tensor gw_plan_sbm_memberships(gw_plan *plan, gw_tensor in, const gw_sbm_weights *weights, gw_sbm_size size);
// B [heads][K][K] of heads of D, with its gradient, in memory of the plan; appended before what reads it.
gw_weight gw_plan_sbm_blocks(gw_plan *plan, int rows, int64_t head_size, const gw_sbm_weights *weights,
                             gw_sbm_size size);

#endif
