// SPDX-License-Identifier: MIT
// What plans without training make of layers with packed weights: several ops in one step, whose values in between stay
// in the cache. The numbers are those of the ops one by one, for bf16 but for the order of rounding's terms.
#ifndef GW_NN_PACKED_H
#define GW_NN_PACKED_H

#include "nn/layers.h"

// Appends out[i] = f(x W_i^T + b_i), x = `in` or the feed-forward layer's result of it; then of out[0] the sum with the
// residual, and the norm: see gw_linear_args.
typedef struct {
    gw_tensor in;
    gw_linear feed_forward; // feed_forward.packed NULL: none
    gw_activation feed_forward_activation;
    int count; // of the layers, each with a tensor
    gw_linear linear[GW_LINEAR_OUTS];
    gw_tensor out[GW_LINEAR_OUTS];
    gw_activation activation; // of all of them
    bool has_residual;
    gw_tensor residual;
    gw_norm norm; // values NULL: none
    double epsilon;
} gw_packed_layers;
void gw_plan_packed(gw_plan *plan, const gw_packed_layers *layers);

#endif
