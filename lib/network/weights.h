// SPDX-License-Identifier: MIT
// A model's tensors by role, as descriptions take them: where they lie on the device, laid out for products or not, and
// their gradients. Values are NULL where the model has no such tensor.
#ifndef GW_NETWORK_WEIGHTS_H
#define GW_NETWORK_WEIGHTS_H

#include "model/model.h"
#include "nn/encoder.h"

typedef struct {
    gw_model *model;
    float *gradient;        // of the device, the parameters' layout; NULL without training
    gw_precision precision; // of the products of linear layers
    float *zeros;           // [width] of the device, where norms have no biases; NULL where they have
} gw_weights_view;

gw_weight gw_view_weight(const gw_weights_view *view, gw_role role, int layer, bool bias);
gw_linear gw_view_layer_linear(const gw_weights_view *view, gw_role role, int layer);
gw_norm gw_view_layer_norm(const gw_weights_view *view, gw_role role, int layer);
gw_block_weights gw_view_block(const gw_weights_view *view, int layer);
// Of the roles that stand once: their tensors, and a head's own activation, or where that is NONE the feed-forward
// layers'.
gw_linear gw_view_linear(const gw_weights_view *view, gw_role role);
gw_norm gw_view_norm(const gw_weights_view *view, gw_role role);
gw_weight gw_view_bias(const gw_weights_view *view, gw_role role);
gw_activation gw_view_activation(const gw_weights_view *view, gw_activation own);

#endif
